"""Opens, unpacks, decodes, splits and sorts files of any origin in bounded memory, and names each fault in them; cuts
texts into sentences and passages.
"""
