"""Small CSV files, written byte for byte."""


def write_texts(folder, **files):
    """Write `name.csv` for each name and text; return the path, or the paths of several."""
    paths = []
    for name, text in files.items():
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text(text, newline="")
    return paths if len(paths) > 1 else paths[0]
