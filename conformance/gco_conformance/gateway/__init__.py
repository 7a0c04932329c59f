"""A simulated gateway: a checkout's rules, and behind them services that behave as their documents say."""
