"""Whether an engine works: protocols, hostile input, latency, signatures, played games."""
