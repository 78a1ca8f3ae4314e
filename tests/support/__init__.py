"""What several tests need: engines to talk to, a plain implementation of the rules, an XBoard on a virtual screen."""
