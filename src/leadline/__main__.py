"""`python -m leadline`."""

from leadline.cli.app import program

if __name__ == "__main__":
    program()
