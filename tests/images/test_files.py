"""Label images in files: the same table as the arrays in them, or one clear error."""

import logging
import os
import struct
import sys
import zlib

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import FileError, LabelError, MissingExtraError
from clusterbits.images import image_files
from clusterbits.images import voxel_counting as images

from_images = cb.Contingency.from_images
RNG = np.random.default_rng(0)
SHAPE = (12, 7, 9)
TRUTH = RNG.integers(0, 4, SHAPE).astype(np.uint32)
PRED = RNG.integers(0, 40, SHAPE).astype(np.uint16)


def write_npz(path, image):
    np.savez_compressed(path, labels=image)


def write_tiff(path, image, **options):
    pytest.importorskip("tifffile").imwrite(path, image, **options)


def write_hdf5(path, image, **options):
    with pytest.importorskip("h5py").File(path, "w") as file:
        file.create_dataset("volumes/labels", data=image, **options)
        file["spacing"] = 0.5  # no axes: no image


def write_zarr(path, image, **options):
    zarr = pytest.importorskip("zarr")
    zarr.create_array(path, shape=image.shape, dtype=image.dtype, **options)[:] = image


def write_group(path, **images):
    """Write a group of Zarr; two underscores stand for a slash."""
    group = pytest.importorskip("zarr").open_group(path, mode="w")
    for name, image in images.items():
        group.create_array(name.replace("__", "/"), data=image)


def write_tiff_pages(path, image, **options):
    """Write the pages of a stack one by one, as images of their own."""
    with pytest.importorskip("tifffile").TiffWriter(path) as file:
        for page in image:
            file.write(page, contiguous=False, **options)


def write_matlab(path, image):
    with pytest.importorskip("h5py").File(path, "w", userblock_size=512) as file:
        file["labels"] = image
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file")


# What writes each kind of file.
WRITERS = {
    "plain.npy": np.save,
    "fortran.npy": lambda path, image: np.save(path, np.asfortranarray(image)),
    "one.npz": write_npz,
    "plain.tif": write_tiff,
    "big.tiff": lambda path, image: write_tiff(path, image, bigtiff=True, byteorder=">"),
    "zipped.tif": lambda path, image: write_tiff(path, image, compression="zlib"),
    "tiled.tif": lambda path, image: write_tiff(path, image, compression="zlib", tile=(16, 16)),
    "pages.tif": write_tiff_pages,
    "zipped_pages.tif": lambda path, image: write_tiff_pages(path, image, compression="zlib"),
    "matlab.mat": write_matlab,
    "plain.h5": write_hdf5,
    "chunked.h5": lambda path, image: write_hdf5(path, image, chunks=(5, 3, 9), compression=1),
    "three.zarr": lambda path, image: write_zarr(path, image, chunks=(5, 3, 9)),
    "group.zarr": lambda path, image: write_group(path, volumes__labels=image),
    "two.zarr": lambda path, image: write_zarr(path, image, chunks=(5, 3, 9), zarr_format=2),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_are_what_is_in_them(name, tmp_path, monkeypatch):
    monkeypatch.setattr(images, "_BLOCK", 60)
    WRITERS[name](tmp_path / name, TRUTH)
    expected = from_images(TRUTH, PRED)
    assert from_images(tmp_path / name, PRED) == expected
    assert from_images(PRED, str(tmp_path / name)) == expected.transpose()


@pytest.mark.parametrize("name", ["grey.png", "deep.png", "palette.png", "plain.tif", "zipped.tif"])
def test_pictures(name, tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    flat = PRED[0]
    if name in WRITERS:
        WRITERS[name](tmp_path / name, flat)
    elif name == "deep.png":
        pillow.fromarray(flat * 1000).save(tmp_path / name)
        flat = flat * 1000
    else:
        picture = pillow.fromarray(flat.astype(np.uint8))
        if name == "palette.png":
            picture.putpalette(RNG.bytes(768))
        picture.save(tmp_path / name)
    assert from_images(TRUTH[0], tmp_path / name) == from_images(TRUTH[0], flat)


def write_png(path, labels, depth):
    """Write a PNG of gray values."""
    rows = (b"\0" + _packed(row, depth) for row in labels)
    header = struct.pack(">IIBBBBB", *labels.shape[::-1], depth, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in chunks
        )
    )


def _packed(row, depth):
    bits = "".join(f"{label:0{depth}b}" for label in row)
    return int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8))


@pytest.mark.parametrize("depth", [1, 2, 4, 16])
@pytest.mark.parametrize("shape", [(8, 16), (11, 3)])
def test_gray_values_of_few_bits(depth, shape, tmp_path):
    """Pillow spreads gray values over 8 bits: label 1 of 4 bits becomes 17."""
    labels = RNG.integers(0, min(2**depth, 9), shape).astype(bool if depth == 1 else int)
    write_png(tmp_path / "grey.png", labels, depth)
    table = from_images(tmp_path / "grey.png", labels)
    assert table == from_images(labels, labels)
    assert str(table.classes) == str(table.clusters)  # True is no 1


@pytest.mark.parametrize("shape", [(7, 9), (14, 9), (12, 8)])
def test_pictures_have_the_pixels_that_their_headers_say(shape, tmp_path):
    """A reader of TIFF leaves out what is too much, and adds zeros for what is lost."""
    flat = TRUTH[:, 0].astype(np.uint8)
    write_tiff(tmp_path / "plain.tif", flat)
    write_tiff(tmp_path / "zipped.tif", flat, compression="zlib")
    for name in ("plain.tif", "zipped.tif"):
        assert from_images(tmp_path / name, flat) == from_images(flat, flat)
        with pytest.importorskip("tifffile").TiffFile(tmp_path / name, mode="r+") as file:
            for tag, size in zip(("ImageLength", "ImageWidth"), shape, strict=True):
                file.pages[0].tags[tag].overwrite(size)
    for name in ("plain.tif", "zipped.tif"):
        with pytest.raises(FileError):
            from_images(tmp_path / name, np.zeros(shape, np.uint8))


def test_arrays_of_a_file_by_name(tmp_path):
    np.savez(tmp_path / "both.npz", truth=TRUTH, pred=PRED)
    arrays = [f"{tmp_path / 'both.npz'}:{name}" for name in ("truth", "pred")]
    assert from_images(*arrays) == from_images(TRUTH, PRED)
    write_hdf5(tmp_path / "volume.h5", TRUTH)
    import h5py

    with h5py.File(tmp_path / "volume.h5", "a") as file:
        file["link"] = h5py.SoftLink("/volumes/labels")
        file["a:b"] = h5py.SoftLink("/volumes/labels")
    for name in ("volumes/labels", "/volumes/labels", "link", "a:b"):
        assert from_images(f"{tmp_path / 'volume.h5'}:{name}", PRED) == from_images(TRUTH, PRED)
    write_zarr(tmp_path / "group.zarr" / "labels", TRUTH)
    for name in ("group.zarr/labels", "group.zarr:labels"):
        assert from_images(str(tmp_path / name), PRED) == from_images(TRUTH, PRED)


def test_a_dataset_without_an_array_is_no_image(tmp_path):
    with pytest.importorskip("h5py").File(tmp_path / "volume.h5", "w") as file:
        file.create_dataset("null", shape=None, dtype="i4")
    with pytest.raises(LabelError, match=r"volume\.h5:null has shape None and dtype int32"):
        from_images(TRUTH, f"{tmp_path / 'volume.h5'}:null")


def test_a_colon_may_be_part_of_the_name(tmp_path):
    np.save(tmp_path / "a:b.npy", TRUTH)
    assert from_images(tmp_path / "a:b.npy", PRED) == from_images(TRUTH, PRED)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.npy", r"there is no file .*missing\.npy\. Did you mean 'missed\.npy'"),
        ("both.npz", r"holds 2 arrays; name one: .*both\.npz:truth, .*both\.npz:pred"),
        ("both.npz:prd", r"holds no array 'prd'\. Did you mean 'pred'"),
        ("missed.npy:truth", "holds one image; name it without :truth"),
        ("text.tif", "is not a label image in NumPy's format, TIFF"),
        ("folder", "cannot be read"),
        ("a\0b", "there is no file"),
        ("cut.npy", "cut.npy cannot be read"),
        ("pickle.npy", "cannot be read"),
        ("empty.h5", r"empty\.h5 holds no arrays"),
        ("group.zarr", r"holds 2 arrays; name one: .*group\.zarr:a, .*group\.zarr:b/c"),
        ("moving.png", "moving.png holds 2 images"),
    ],
)
def test_wrong_files(name, message, tmp_path):
    np.save(tmp_path / "missed.npy", TRUTH)
    np.savez(tmp_path / "both.npz", truth=TRUTH, pred=PRED)
    (tmp_path / "text.tif").write_text("truth,pred\n1,1\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "cut.npy").write_bytes((tmp_path / "missed.npy").read_bytes()[:-9])
    np.save(tmp_path / "pickle.npy", np.array([{}]), allow_pickle=True)
    pytest.importorskip("h5py").File(tmp_path / "empty.h5", "w").close()
    write_group(tmp_path / "group.zarr", a=TRUTH, b__c=PRED)
    first, second = map(pytest.importorskip("PIL.Image").fromarray, PRED[:2].astype(np.uint8))
    first.save(tmp_path / "moving.png", save_all=True, append_images=[second])
    with pytest.raises(FileError, match=message):
        from_images(TRUTH, str(tmp_path / name))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        os.write(end, b"II*\0 and more")
        assert not image_files.is_image(str(tmp_path / "pipe"))
        assert os.read(end, 100) == b"II*\0 and more"
    finally:
        os.close(end)


@pytest.fixture(params=[logging.NOTSET, logging.CRITICAL], ids=["logs", "quiet"])
def logs(request):
    """Let tifffile log, or not: a program may have silenced it."""
    logging.disable(request.param)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.endswith(".zarr")])
def test_damaged_files_are_refused_in_words(name, tmp_path):
    path = tmp_path / name
    WRITERS[name](path, TRUTH)
    data = path.read_bytes()
    for length in (len(data) // 2, len(data) * 9 // 10):
        path.write_bytes(data[:length])
        for pred in (PRED, path):  # of two files, both may be cut
            with pytest.raises(FileError, match=f"{name} cannot be read"):
                from_images(path, pred)


def test_a_flipped_bit_of_a_picture_is_refused(tmp_path):
    """Where Pillow reads pixels, it compares the checksum of the header only."""
    path = tmp_path / "flipped.png"
    pytest.importorskip("PIL.Image").fromarray(PRED[0].astype(np.uint8)).save(path)
    data = path.read_bytes()
    assert from_images(PRED[0], path) == from_images(PRED[0], PRED[0])
    for bit in range(0, 8 * (len(data) - 12), 13):  # the last chunk has no pixels
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(FileError):
            from_images(PRED[0], path)
    path.write_bytes(data[:-12])
    with pytest.raises(FileError, match=r"flipped\.png cannot be read"):
        from_images(PRED[0], path)


@pytest.mark.parametrize("name", ["labels.npy", "labels.npz"])
def test_arrays_are_as_long_as_their_headers_say(name, tmp_path):
    """A flipped bit makes 9,000 rows 8,000: what is behind them would not be looked at."""
    rows = np.tile(TRUTH.ravel(), 12)[:9000].reshape(-1, 1)
    (np.save if name.endswith("npy") else np.savez)(tmp_path / name, rows)
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data.replace(b"(9000, 1)", b"(8000, 1)"))
    with pytest.raises(FileError, match=r"more than the array that its header|Bad CRC"):
        from_images(tmp_path / name, rows[:8000])


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_planes_that_are_lost(compression, tmp_path, logs):
    """OME: a description promises planes that the file does not have; tifffile reads zeros."""
    planes = "".join(f'<TiffData IFD="{z}" FirstZ="{z}" PlaneCount="1"/>' for z in range(10))
    ome = (
        '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">'
        '<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint32" SizeX="9" SizeY="7" SizeZ="12" '
        f'SizeC="1" SizeT="1"><Channel ID="Channel:0:0"/>{planes}</Pixels></Image></OME>'
    )
    options = {"description": ome, "metadata": None, "photometric": "minisblack"}
    write_tiff(tmp_path / "a.ome.tif", TRUTH[:10], compression=compression, **options)
    with pytest.raises(FileError, match="lacks some of its planes"):
        from_images(tmp_path / "a.ome.tif", PRED)


def test_datasets_in_other_files_are_refused(tmp_path, monkeypatch):
    """HDF5 reads the fill value for what is lost."""
    h5py = pytest.importorskip("h5py")
    monkeypatch.chdir(tmp_path)
    with h5py.File("volume.h5", "w") as file, h5py.File("half.h5", "w") as other:
        other["labels"] = TRUTH
        layout = h5py.VirtualLayout(SHAPE, TRUTH.dtype)
        layout[:] = h5py.VirtualSource("half.h5", "labels", SHAPE)
        file.create_virtual_dataset("virtual", layout)
        raw = [("raw", 0, TRUTH.nbytes)]
        file.create_dataset("external", SHAPE, TRUTH.dtype, external=raw)[:] = TRUTH
        file["link"] = h5py.ExternalLink("half.h5", "labels")
    for name in ("virtual", "external", "link"):
        with pytest.raises(FileError, match="in another file"):
            from_images(f"volume.h5:{name}", PRED)


def test_a_damaged_chunk_is_found_when_its_block_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "_BLOCK", 60)
    path = tmp_path / "chunked.h5"
    write_hdf5(path, TRUTH, chunks=(5, 3, 9), fletcher32=True)
    data = bytearray(path.read_bytes())
    data[data.index(TRUTH[5:10, 3:6].tobytes())] ^= 255
    path.write_bytes(data)
    with pytest.raises(FileError, match="h5 cannot be read"):
        from_images(path, PRED)


@pytest.mark.parametrize("name", ["colours.png", "colours.tif"])
def test_colors_are_no_labels(name, tmp_path):
    colours = np.zeros((6, 8, 3), np.uint8)
    if name.endswith("png"):
        pytest.importorskip("PIL.Image").fromarray(colours).save(tmp_path / name)
    else:
        write_tiff(tmp_path / name, colours)
    with pytest.raises(FileError, match="several numbers per pixel"):
        from_images(tmp_path / name, tmp_path / name)


def test_several_images_in_one_tiff(tmp_path):
    tifffile = pytest.importorskip("tifffile")
    with tifffile.TiffWriter(tmp_path / "two.tif") as file:
        file.write(TRUTH[0])
        file.write(PRED)
    with pytest.raises(FileError, match="holds 2 images"):
        from_images(tmp_path / "two.tif", PRED)


@pytest.mark.parametrize(
    ("package", "name"),
    [("tifffile", "a.tif"), ("PIL.Image", "a.png"), ("h5py", "a.h5"), ("zarr", "a.zarr")],
)
def test_missing_packages_say_what_to_install(package, name, tmp_path, monkeypatch):
    begins = {"a.tif": b"II*\0", "a.png": b"\x89PNG\r\n\x1a\n", "a.h5": b"\x89HDF\r\n\x1a\n"}
    if name in begins:
        (tmp_path / name).write_bytes(begins[name])
    else:
        (tmp_path / name).mkdir()
        (tmp_path / name / "zarr.json").write_text("{}")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'clusterbits\[images\]'"):
        from_images(tmp_path / name, PRED)
