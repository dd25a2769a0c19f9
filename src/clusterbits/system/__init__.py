"""What any package needs of the machine: memory, threads, files, progress, kernels."""
