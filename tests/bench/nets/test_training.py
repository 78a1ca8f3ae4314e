"""Training a net: data, gradient, resumption, and a net that learns what it is shown."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import variants
from bench.__main__ import main
from bench.nets import selfplay, train
from bench.nets.net import random_net
from bench.nets.playing import DRAWN, play_kernel, verdict
from bench.nets.selfplay import SelfPlay, net_name, starts_of
from bench.nets.shuffle import HELD_OUT, Sample, Shuffled, batch_of, checks, outlooks
from bench.nets.store import Data, Settings, load
from bench.nets.trainer import Batch, Trainer
from bench.nets.walk import UNKNOWN
from engine.compile.jit import entry
from engine.core.legality import in_check_kernel
from engine.game import Game
from engine.rules import BLACK, PLY, TURN, WHITE, Rules
from engine.text import to_fen
from search.eval.net.files import Weights, path_of, read_net, zones_of
from search.eval.net.inference import BUCKETS, SCALE
from search.eval.net.inputs import inputs_of
from search.state import ROOT

SELFPLAY = ["selfplay", "chess", "--nodes", "40", "--concurrency", "1"]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    assert main([*SELFPLAY, "-o", str(folder), "--games", "120"]) == 0
    return folder


@pytest.fixture(scope="module")
def walks(games: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """From 120 games and, when there are 150, from these: the file that was not full is made again."""
    folder = tmp_path_factory.mktemp("walks")
    words = ["walk", str(games), "-o", str(folder), "--walks", "2", "--depth", "1", "--concurrency", "1"]
    assert main(words) == 0
    stamps = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.npz")}
    assert main([*SELFPLAY, "-o", str(games), "--games", "150"]) == 0 and main(words) == 0
    kept = {path.name: path.stat().st_mtime_ns == stamps[path.name] for path in folder.glob("*.npz")}
    assert kept == {"000000.npz": True, "000001.npz": False} and max(load(folder)[1].games) == 149
    return folder


def test_positions_are_legal_and_quiet(games: Path, walks: Path) -> None:
    for folder in (games, walks):
        settings, data = load(folder)
        rules = variants.find(settings.variant)
        assert len(data.rows) > 2000
        for row in data.rows[::49]:
            game = Game(rules, to_fen(rules, row))
            assert (game.pos == row).all() and game.legal_moves()
            assert not in_check_kernel(rules, row, row[TURN])


@entry
def verdict_kernel(rules, stack, moves):  # type: ignore[no-untyped-def]
    return verdict(rules, stack, 0, moves)


@pytest.mark.parametrize(("variant", "drawn"), [("chess", True), ("crazyhouse", False)])
def test_games_are_drawn_by_the_rules_of_the_game(variant: str, drawn: bool) -> None:
    """Crazyhouse is not drawn after 100 plies without progress."""
    hands = "[]" if variant == "crazyhouse" else ""
    game = Game(variant, f"4k3/8/8/8/8/8/8/R3K3{hands} w - - 100 80")
    stack = np.zeros((ROOT + 2, len(game.pos)), np.uint64)
    stack[ROOT] = game.pos
    reason, _ = verdict_kernel(game.rules, stack, np.zeros(game.rules.traits.max_moves, np.int64))
    assert (reason == DRAWN) == drawn == (game.outcome() is not None)


def test_walks_leave_the_games(games: Path, walks: Path) -> None:
    played, walked = load(games)[1], load(walks)[1]
    assert (walked.results == UNKNOWN).all()
    assert set(np.unique(played.results)) <= {-1, 0, 1}
    assert np.isin(walked.rows[:, 0], played.rows[:, 0]).mean() < 0.1
    assert set(walked.games) <= set(played.games)


def test_games_begin_at_positions_of_other_games(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not at the start position: the first moves of these games were played in others."""
    words = ["selfplay", "chess", "--nodes", "40", "--concurrency", "1", "--games", "30", "--from", str(games)]
    assert main([*words, "-o", str(tmp_path / "later")]) == 0
    settings, later = load(tmp_path / "later")
    assert settings.begin == f"1 to 3 random moves from {games.name}"
    firsts = np.unique(later.games, return_index=True)[1]
    begun = later.rows[firsts, PLY].astype(int)
    assert np.median(begun) > 20 and len(set(begun)) > 10
    source = load(games)[1]
    assert begun.max() <= source.rows[:, PLY].max() + 40
    assert main([*SELFPLAY, "-o", str(tmp_path / "later"), "--games", "30"]) == 2
    assert f"has begin {settings.begin}, not none" in capsys.readouterr().err
    for start, complaint in ((tmp_path, f"{str(tmp_path)!r} has no games of `kingmaker selfplay`"),
                             (tmp_path / "later", f"{str(tmp_path / 'later')!r} has games of chess, not of atomic")):
        assert main(["selfplay", "atomic", "-o", str(tmp_path / "other"), "--from", str(start)]) == 2
        assert complaint in capsys.readouterr().err


def test_games_begin_where_there_are_enough_pieces(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch = games / "000000.npz"
    counts = [int(row[WHITE] | row[BLACK]).bit_count() for row in starts_of(batch, 0)]
    assert min(counts) < 24 < max(counts)
    starts = starts_of(batch, 24)
    assert len(starts) == sum(count >= 24 for count in counts)
    assert min(int(row[WHITE] | row[BLACK]).bit_count() for row in starts) == 24
    words = ["selfplay", "chess", "--nodes", "40", "--concurrency", "1", "--games", "30"]
    assert main([*words, "--from", str(games), "--pieces", "24", "-o", str(tmp_path / "later")]) == 0
    settings, later = load(tmp_path / "later")
    assert settings.begin == f"1 to 3 random moves from {games.name}, 24 pieces or more"
    firsts = np.unique(later.games, return_index=True)[1]
    assert np.median([int(row[WHITE] | row[BLACK]).bit_count() for row in later.rows[firsts]]) > 20
    for more, complaint in ((["--pieces", "24"], "--pieces 24 needs --from"),
                            (["--from", str(games), "--pieces", "-1"], "--pieces must be at least 0, not -1"),
                            (["--from", str(games), "--pieces", "33"], "is decided or has fewer than 33 pieces")):
        assert main([*words, *more, "-o", str(tmp_path / "other")]) == 2
        assert complaint in capsys.readouterr().err


def test_the_rules_end_games_and_scores_do_not() -> None:
    """From the last position of a game that was won, some move wins at once."""
    rules = variants.find("chess")
    players = SelfPlay(rules, Settings("chess", 40, 5))
    seen = set()
    for number in range(1, 40):
        n, result = play_kernel(rules, players.worker.thread(players.shared), players.shared.draws, players.start, 40, 8,
                                players.uneven, np.uint64(number), players.rows, players.found)
        if abs(result) != 1:
            continue
        last = Game(rules, to_fen(rules, players.rows[n - 1]))
        winners = set()
        for move in last.legal_moves():
            after = Game(rules, last.fen())
            after.push(move)
            if (end := after.outcome()) is not None:
                winners.add(end.winner)
        assert (0 if result == 1 else 1) in winners
        seen.add(int(result))
    assert {1, -1} <= seen


@pytest.mark.long
def test_lone_pieces_play_on_in_antichess(tmp_path: Path) -> None:
    """A net that sees few pieces as level, and is wrong, must not have such games drawn."""
    assert main(["selfplay", "antichess", "--nodes", "40", "--concurrency", "1", "--games", "60", "-o", str(tmp_path)]) == 0
    data = load(tmp_path)[1]
    few = np.bitwise_count(data.rows[:, WHITE] | data.rows[:, BLACK]) <= 6
    assert few.sum() > 50 and (data.results[few] != 0).mean() > 0.3


def test_a_folder_keeps_to_one_net_and_one_way_to_walk(games: Path, walks: Path, monkeypatch: pytest.MonkeyPatch,
                                                       capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["walk", str(games), "-o", str(walks), "--walks", "3", "--depth", "1", "--concurrency", "1"]) == 2
    assert "has walk 2 walks of 3 steps, depth 1, from games" in capsys.readouterr().err
    played_with = net_name("chess") or "none"
    monkeypatch.setattr(selfplay, "net_of", lambda rules: random_net(rules, 1))
    assert main(["selfplay", "chess", "-o", str(games), "--games", "150", "--nodes", "40"]) == 2
    assert f"has net {played_with}, not {random_net(variants.find('chess'), 1).digest}" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["tune", "wdl"])
def test_walks_have_no_results_to_fit(games: Path, walks: Path, tmp_path: Path, command: str,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    """Their marker would count as a point and a half."""
    output = ["-o", str(tmp_path / "x.json"), "--ends", "0", "--iterations", "1"] if command == "tune" else []
    assert main([command, str(games), str(walks), *output]) == 2
    assert f"{str(walks)!r} has positions of `kingmaker walk`, without results" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_what_is_refused_binds_no_later_run(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spoilt = Path(shutil.copytree(games, tmp_path / "spoilt"))
    (spoilt / "000001.npz").write_bytes(b"")
    for words, said in ((["selfplay", "chess", "--concurrency", "0"], "0 worker processes are too few"),
                        (["selfplay", "chess", "--from", str(games), "--pieces", "33"], "33"),
                        (["walk", str(spoilt)], "cannot read games from")):
        assert main([*words, "-o", str(tmp_path / "x")]) == 2
        assert said in capsys.readouterr().err and not (tmp_path / "x").exists(), words


def test_a_net_of_another_game_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Games with the same inputs take each other's nets."""
    file = str(path_of(variants.find("atomic")))
    for game in ("chess", "atomic"):
        assert main(["net", game, "--file", file]) == 0
        assert ("\nthis net was trained for atomic\n" in capsys.readouterr().out) == (game == "chess")


def test_a_damaged_file_of_positions_is_named(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(shutil.copytree(games, tmp_path / "games", ignore=shutil.ignore_patterns("train")))
    for damaged in (b"", b"x" * 1000, (games / "000001.npz").read_bytes()[:900]):
        (folder / "000001.npz").write_bytes(damaged)
        for words in (["train", "chess", str(folder)], ["walk", str(folder)]):
            assert main([*words, "-o", str(tmp_path / "x")]) == 2
            said = f"kingmaker {words[0]}: cannot read games from {str(folder / '000001.npz')!r}: not a file of positions\n"
            assert capsys.readouterr().err.endswith(said)


def test_checks_see_exchanged_signs(games: Path) -> None:
    data = load(games)[1]

    def agreement(line: str) -> float:
        return float(line.split()[1].rstrip("%"))

    right = agreement(checks(data)[1])
    wrong = agreement(checks(data._replace(scores=-data.scores))[1])
    assert right > 75 and wrong < 25 and right + wrong == pytest.approx(100, abs=0.3)
    twice = data._replace(**{name: np.concatenate([part, part]) for name, part in data._asdict().items()})
    assert float(checks(twice)[3].split()[1].rstrip("%")) >= 50


def small_batch(games: Path, n: int = 64) -> Batch:
    """A few positions of the games."""
    data = load(games)[1]
    return batch_of(variants.find("chess"), Sample(data.rows[:n].copy(), data.scores[:n], outlooks(data, 0)[:n]), 0.3)


def test_the_gradient_is_that_of_the_loss(games: Path) -> None:
    """Compared with differences of the loss, parameter by parameter, in each part of the vector."""
    batch, trainer = small_batch(games), Trainer(inputs_of(variants.find("chess")), 3, 1)
    which = np.arange(len(batch.targets))

    def loss() -> float:
        points = 1 / (1 + np.exp(-trainer.values(batch).astype(float)))
        return float(((points - batch.targets) ** 2).sum())

    trainer.shape.parts(trainer.vector)[1][:] = 0.05
    found = np.zeros((1, trainer.shape.size), np.float32)
    train_part = trainer.shape.parts(found[0])
    from bench.nets.gradient import add_gradient

    add_gradient(*batch, which, *trainer.shape.parts(trainer.vector), *train_part, np.zeros((2, 128), np.float32))
    chance, step = np.random.default_rng(1), 4e-3
    rows = np.unique(batch.found) * 128
    first_out = trainer.shape.inputs * 128
    numbers = [*(chance.choice(rows, 12) + chance.integers(0, 128, 12)), *range(first_out, first_out + 6),
               *range(first_out + 128, trainer.shape.size, 97), trainer.shape.size - 1, trainer.shape.size - 2]
    compared, here = 0, loss()
    for number in numbers:
        kept = trainer.vector[number]
        trainer.vector[number] = kept + step
        above = loss()
        trainer.vector[number] = kept - step
        below = loss()
        trainer.vector[number] = kept
        slope = (above - below) / (2 * step)
        if abs(above + below - 2 * here) / step > 4e-3 + 0.06 * abs(slope):
            continue  # a hidden number begins to be clipped in between: there is a slope on either side
        assert found[0, number] == pytest.approx(slope, abs=2e-3 + 0.03 * abs(slope)), number
        compared += abs(slope) > 1e-2
    assert compared > 5


def test_targets_mix_score_and_result() -> None:
    rules = variants.find("chess")
    white, black = (Game(rules, f"4k3/8/8/8/8/8/4P3/4K3 {turn} - - 0 1").pos for turn in "wb")
    sample = Sample(np.array([white, black, white]), np.array([SCALE, SCALE, SCALE], np.int16),
                    np.array([1, 1, np.nan], np.float32))
    sigmoid = 1 / (1 + np.exp(-1))
    assert batch_of(rules, sample, 0.25).targets == pytest.approx([0.25 + 0.75 * sigmoid, 0.75 * (1 - sigmoid), sigmoid])


def test_an_outlook_is_of_the_rest_of_the_game() -> None:
    rows = np.zeros((6, 11), np.uint64)
    rows[:, PLY] = [10, 12, 13, 7, 8, 9]
    even = 1 / (1 + np.exp(-1))
    data = Data(rows, np.array([0, SCALE, 0, 0, 0, 0], np.int16), np.array([1, 1, 1, -1, -1, UNKNOWN], np.int8),
                np.array([0, 0, 0, 1, 1, 2], np.int32))
    assert outlooks(data, 0) == pytest.approx([1, 1, 1, 0, 0, np.nan], nan_ok=True)
    one, two = np.exp(-1 / 4), np.exp(-2 / 4)
    last = one * 1 + (1 - one) * 0.5
    assert outlooks(data, 4) == pytest.approx([two * last + (1 - two) * even, last, 1, (1 - one) * 0.5, 0, np.nan], nan_ok=True)


def test_every_position_is_dealt_once(games: Path, tmp_path: Path) -> None:
    rules, data = variants.find("chess"), load(games)[1]
    dealt = Shuffled(tmp_path, rules, 3)
    dealt.deal(sorted(games.glob("*.npz")), 1, 0, lambda share: None)
    parts = [dealt.read(number, np.random.default_rng(1)) for number in (-1, 0, 1, 2)]
    assert sum(len(part.scores) for part in parts) == len(data.scores) and all(len(part.scores) for part in parts)
    assert sorted(np.concatenate([part.rows[:, 0] for part in parts])) == sorted(data.rows[:, 0])
    held = set(data.rows[data.games % HELD_OUT == 0][:, 0])
    assert set(parts[0].rows[:, 0]) == held
    assert (parts[1].rows[:, 0] != dealt.read(0).rows[:, 0]).any()


def error_of(rules: Rules, net: Weights, sample: Sample) -> tuple[float, float]:
    """Mean squared errors in the targets of training: of a net's values in the engine, and of a guess of half a point."""
    targets = batch_of(rules, sample, 0.3).targets
    points = 1 / (1 + np.exp(-train.values_of(rules, net, sample.rows) / SCALE))
    return float(((points - targets) ** 2).mean()), float(((targets - 0.5) ** 2).mean())


def test_a_net_learns_and_goes_on_where_it_was_interrupted(games: Path, walks: Path, tmp_path: Path,
                                                           capsys: pytest.CaptureFixture[str],
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    rules = variants.find("chess")
    words = ["train", "chess", str(games), str(walks), "--batch", "512", "--rate", "0.002", "--zones", "2"]
    passes = 8
    assert main([*words, "-o", str(tmp_path / "whole.npz"), "--passes", str(passes)]) == 0
    said = capsys.readouterr().out
    losses = re.findall(r"^pass .* loss (\S+)  held out (\S+)$", said, re.MULTILINE)
    assert len(losses) == passes and "quantisation" in said
    whole = read_net(tmp_path / "whole.npz", rules)
    kept = Shuffled(games / "train" / "shuffled", rules, 1)
    learned, guessed = error_of(rules, whole, kept.read(0))
    assert learned < guessed / 4, "what it was shown"
    held_out, _ = error_of(rules, whole, kept.read(-1))
    assert abs(held_out - float(losses[-1][1])) < 0.002, "the engine's values are those that the trainer judged"
    by_net, by_sum = map(float, re.findall(r"error of the net (\S+), of the sum (\S+) ", said)[0])
    assert 0 < by_sum < by_net, "a few positions teach a net less than the sum knows"
    assert zones_of(rules, whole.rows, False) == 2 and all(half.any() for half in np.split(whole.rows, 2))
    assert whole.out.shape[0] == BUCKETS
    assert (tmp_path / "whole.svg").exists()
    (games / "train" / "state.npz").unlink()
    save, saved = train.Training._save, []

    def interrupted(self: train.Training) -> None:
        save(self)
        saved.append(1)
        if len(saved) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(train.Training, "_save", interrupted)
    assert main([*words, "-o", str(tmp_path / "again.npz"), "--passes", str(passes)]) != 0
    capsys.readouterr()
    monkeypatch.setattr(train.Training, "_save", save)
    assert main([*words, "-o", str(tmp_path / "again.npz"), "--passes", str(passes)]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("pass")] == [
        str(number) for number in range(3, passes + 1)]
    assert read_net(tmp_path / "again.npz", rules).digest == whole.digest
    further = [*words, "-o", str(tmp_path / "further.npz"), "--passes", "1", "--start", str(tmp_path / "whole.npz")]
    assert main([*further, "--rate", "1e-9"]) == 0
    said = capsys.readouterr().out
    for label in ("scores", "outlooks"):
        by_net, before = re.findall(rf"{label} .* of the net (\S+), of the net before (\S+), of the sum ", said)[0]
        assert by_net == before, "at such a rate nothing is learned"
    begun = read_net(tmp_path / "further.npz", rules)
    assert begun.digest == whole.digest and begun.about["plan"]["start"] == whole.digest
    assert main([*further, "--rate", "1e-3"]) == 0
    by_net, before = re.findall(r"scores .* of the net (\S+), of the net before (\S+), ", capsys.readouterr().out)[0]
    assert by_net != before
    assert read_net(tmp_path / "further.npz", rules).digest != whole.digest
    assert main([*further, "--zones", "1"]) == 2 and "is for --zones 2, not 1" in capsys.readouterr().err


def test_a_net_with_threats_begins_as_one_without(games: Path, walks: Path, tmp_path: Path,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    """All states of a piece begin with the row that it had; then they part."""
    rules, states = variants.find("chess"), slice(0, 4 * 64)  # of pawns
    words = ["train", "chess", str(walks), str(games), "--passes", "1"]
    first, told, more = (tmp_path / name for name in "abc")
    assert main([*words, "-o", str(first)]) == 0
    assert "agreement     nan" not in capsys.readouterr().out, "the check is of games, not of walks"
    assert main([*words, "-o", str(told), "--threats", "--rate", "1e-9", "--start", str(first)]) == 0
    by_net, before = re.findall(r"scores .* of the net (\S+), of the net before (\S+), ", capsys.readouterr().out)[0]
    assert by_net == before
    begun = read_net(told, rules)
    assert begun.threats and len(begun.rows) == inputs_of(rules, 1, True)
    assert (begun.rows[states].reshape(4, -1) == read_net(first, rules).rows[:64].ravel()).all()
    assert main([*words, "-o", str(more), "--threats", "--batch", "512", "--start", str(told)]) == 0
    parted = read_net(more, rules).rows[states].reshape(4, -1)
    assert all((parted[a] != parted[b]).any() for a in range(4) for b in range(a))
    assert main([*words, "-o", str(more), "--start", str(told)]) == 2
    assert f"the net {str(told)!r} is for --threats" in capsys.readouterr().err


def test_a_net_that_is_made_wider_begins_with_the_same_values(games: Path, tmp_path: Path,
                                                              capsys: pytest.CaptureFixture[str]) -> None:
    """The further neurons count for nothing at first, and then for something."""
    rules, words = variants.find("chess"), ["train", "chess", str(games), "--passes", "1", "--batch", "512"]
    narrow, wide, more = (tmp_path / name for name in "abc")
    assert main([*words, "-o", str(narrow)]) == 0
    assert main([*words, "-o", str(wide), "--neurons", "384", "--rate", "1e-9", "--start", str(narrow)]) == 0
    assert "384 hidden" in capsys.readouterr().out
    first, begun = read_net(narrow, rules), read_net(wide, rules)
    assert begun.rows.shape == (inputs_of(rules), 384) and (begun.rows[:, :128] == first.rows).all()
    assert begun.rows[:, 128:].any() and not begun.out[..., 128:].any()
    sample = Shuffled(games / "train" / "shuffled", rules, 1).read(-1)
    assert (train.values_of(rules, begun, sample.rows) == train.values_of(rules, first, sample.rows)).all()
    assert main([*words, "-o", str(more), "--start", str(wide)]) == 0
    learned = read_net(more, rules)
    assert learned.neurons == 384 and learned.out[..., 128:].any(axis=(0, 1)).mean() > 0.9
    assert main([*words, "-o", str(more), "--neurons", "128", "--start", str(wide)]) == 2
    assert "has 384 neurons, more than --neurons 128" in capsys.readouterr().err


def test_a_pass_learns_a_share_of_the_walks(games: Path, walks: Path, tmp_path: Path,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    """Positions of games are all kept, and another pass keeps other walks."""
    rules, words = variants.find("chess"), ["train", "chess", str(games), str(walks), "--passes", "1"]
    assert main([*words, "-o", str(tmp_path / "net.npz"), "--walk-share", "0.25"]) == 0
    net = read_net(tmp_path / "net.npz", rules)
    assert net.about["plan"]["walk_share"] == 0.25
    assert main([*words, "-o", str(tmp_path / "all.npz")]) == 0
    assert (net.rows != read_net(tmp_path / "all.npz", rules).rows).any(), "fewer positions make another net"
    sample = Shuffled(games / "train" / "shuffled", rules, 1).read(0)
    walked = np.isnan(sample.outlooks)
    passes = [sample.with_share_of_walks(0.25, np.random.default_rng(seed)) for seed in (1, 2)]
    for kept in passes:
        from_walks = np.isnan(kept.outlooks)
        for part, whole in zip(kept, sample, strict=True):
            assert (part[~from_walks] == whole[~walked]).all()
        assert 0.2 < from_walks.sum() / walked.sum() < 0.3
    assert len(passes[0].rows) != len(passes[1].rows) or (passes[0].rows != passes[1].rows).any()
    assert not np.isnan(sample.with_share_of_walks(0, np.random.default_rng(1)).outlooks).any()
    assert sample.with_share_of_walks(1, np.random.default_rng(1)) is sample
    capsys.readouterr()
    assert main(["train", "chess", str(walks), "-o", str(tmp_path / "net.npz"), "--walk-share", "0"]) == 2
    assert "--walk-share 0 leaves nothing to learn" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "message"), [
    (["train", "atomic", "FOLDER"], "has games of chess, not of atomic"),
    (["train", "chess", "NOWHERE"], "has no games of `kingmaker selfplay`"),
    (["train", "chess", "FOLDER", "--walk-share", "1.5"], "--walk-share 1.5 is not from 0.0 to 1.0"),
    (["train", "chess", "FOLDER", "--passes", "0"], "--passes 0 is not from 1"),
    (["train", "chess", "FOLDER", "--zones", "5"], "--zones 5 is not from 1 to 4"),
    (["train", "chess", "FOLDER", "--neurons", "200"], "--neurons 200 is not a multiple of 128 from 128 to 4096"),
    (["train", "chess", "FOLDER", "--neurons", "0"], "--neurons 0 is not a multiple of 128 from 128 to 4096"),
    (["train", "chess", "FOLDER", "--result-share", "1.5"], "--result-share 1.5 is not from 0.0 to 1.0"),
    (["train", "chess", "FOLDER", "--start", "NOWHERE"], "there is no net"),
    (["train", "chess", "FOLDER", "-o", "FOLDER"], "': it is a folder"),
    (["tune", "FOLDER", "-o", "FOLDER"], "': it is a folder"),
    (["walk", "FOLDER", "-o", "x", "--depth", "0"], "--depth 0 is not from 1 to 20"),
    (["walk", "NOWHERE", "-o", "x"], "has no games of `kingmaker selfplay`"),
    (["net", "chess", "--check", "-1"], "--check must be at least 0, not -1"),
    (["net", "chess", "--file", "NOWHERE"], "there is no net"),
    (["net", "chess", "--file", "/etc/passwd"], "cannot read a net from '/etc/passwd': not a net file"),
    (["selfplay", "chess", "-o", "x", "--games", "0"], "--games must be at least 1, not 0"),
    (["selfplay", "chess", "-o", "x", "--nodes", "-5"], "--nodes must be at least 1, not -5"),
    (["spsa", "chess", "-o", "x", "--pairs", "0"], "--pairs must be at least 1, not 0"),
])
def test_bad_input_is_named(games: Path, tmp_path: Path, words: list[str], message: str,
                            capsys: pytest.CaptureFixture[str]) -> None:
    places = {"FOLDER": str(games), "NOWHERE": str(tmp_path / "nowhere"), "x": str(tmp_path / "x")}
    assert main([places.get(word, word) for word in words]) == 2
    assert message in capsys.readouterr().err
