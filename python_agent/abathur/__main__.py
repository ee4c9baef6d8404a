"""``python -m abathur`` is the command line."""

from abathur.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
