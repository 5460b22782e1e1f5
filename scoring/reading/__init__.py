"""Reading files of any origin: opened, unpacked, decoded, split and sorted in bounded memory, each fault named."""
