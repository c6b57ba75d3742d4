"""`python -m gpucc` is the command."""
from _gpucc_command import main

if __name__ == "__main__":
    main()
