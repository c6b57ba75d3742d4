"""`python -m gpucc` is the command."""
from _gpucc_command import main

main()
