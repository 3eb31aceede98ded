"""Turn the bytes of a file into text, and say in Spanish what was doubtful about them.

Legal files come in every encoding that offices have used: UTF-8 with and without BOM, UTF-16 from Windows tools,
Windows-1252, DOS and Mac code pages, and files that two programs wrote by turns. A wrong guess that drops bytes loses
every accent ("ARTCULO"), so nothing is ever dropped here: what is not UTF-8 is read as the code page that fits Spanish.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

from siaa.errors import UnreadableDocumentError


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, still with its own line breaks, and Spanish warnings about how it was read."""

    text: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """Return the text of `data`.

    Raises UnreadableDocumentError when the bytes are not text (a PDF, a ZIP or Word file, an image).
    Example: `decode("Artículo 5º".encode("cp1252")).text == "Artículo 5º"`, with a warning.
    """
    _refuse_known_binary(data)
    encoding = _wide_encoding(data)
    if encoding:
        return _with_content_warnings(data.decode(encoding, errors="replace"), [f"Leído como {encoding.upper()}."])
    _refuse_unknown_binary(data)
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return _with_content_warnings(body.decode("utf-8"), [])
    except UnicodeDecodeError:
        return _with_content_warnings(*_decode_bytewise(body))


# First bytes of formats that get dropped into a corpus by mistake -> what to call them.
_SIGNATURES = {
    b"%PDF": "un PDF",
    b"PK\x03\x04": "un archivo ZIP o un documento de Office (docx, xlsx, odt)",
    b"PK\x05\x06": "un archivo ZIP vacío",
    b"\xd0\xcf\x11\xe0": "un documento de Office 97-2003 (doc, xls)",
    b"{\\rtf": "un documento RTF",
    b"\x89PNG": "una imagen PNG",
    b"\xff\xd8\xff": "una imagen JPEG",
    b"GIF8": "una imagen GIF",
    b"\x1f\x8b": "un archivo comprimido gzip",
    b"7z\xbc\xaf": "un archivo comprimido 7z",
    b"Rar!": "un archivo comprimido RAR",
    b"\x7fELF": "un programa",
    b"SQLite format 3": "una base de datos",
}
_SAMPLE = 65536  # bytes looked at to tell text from binary: enough for a stable share, little to read
_NUL_SHARE = 0.05  # of the sample; scattered NULs of a damaged text are well under 1 %
_CONTROL_SHARE = 0.10  # of the sample, tabs and line breaks not counted
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\r\x0b\x0c\x1b\x00")


def _refuse_known_binary(data: bytes) -> None:
    start = data[:32].removeprefix(codecs.BOM_UTF8)
    for signature, what in _SIGNATURES.items():
        if start.startswith(signature):
            raise UnreadableDocumentError(f"No es texto: parece {what}. Conviértalo a Markdown o a texto plano.")


def _refuse_unknown_binary(data: bytes) -> None:
    sample = data[:_SAMPLE].replace(b"\r", b"")  # the kind of line break must not tip the balance
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if sample.count(0) > _NUL_SHARE * len(sample) or controls > _CONTROL_SHARE * len(sample):
        raise UnreadableDocumentError("No es texto: contiene demasiados bytes de control. Conviértalo a texto plano.")


_WIDE_BOMS = {  # the longer mark first: that of UTF-32 LE begins with that of UTF-16 LE
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def _wide_encoding(data: bytes) -> str:
    """Return the UTF-16 or UTF-32 encoding of `data`, "" if it has none. Spanish in UTF-16 has a NUL in every pair."""
    for mark, encoding in _WIDE_BOMS.items():
        if data.startswith(mark):
            return encoding
    sample = data[: _SAMPLE & ~1]
    pairs = len(sample) // 2
    if pairs < 4:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.7 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.7 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return ""


_UTF8_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
_SINGLE_BYTE = {"cp1252": "Windows-1252", "cp850": "DOS (cp850)", "mac_roman": "Mac Roman"}  # in order of preference
_EXPECTED = frozenset("áéíóúüñÁÉÍÓÚÜÑ¿¡«»“”‘’–—…ºª°·\xa0")
_CLEARLY_BETTER = 3  # another code page must fit three times as many characters to displace Windows-1252


def _decode_bytewise(data: bytes) -> tuple[str, list[str]]:
    """Decode what is not pure UTF-8: runs of UTF-8 with stray bytes, or one single-byte code page throughout."""
    sequences = _UTF8_SEQUENCE.findall(data)
    strays = len(_HIGH_BYTE.findall(data)) - sum(map(len, sequences))
    # In a Windows-1252 file a pair of bytes may look like UTF-8 by accident (one in some hundreds): not a mixture.
    if sequences and strays < 20 * len(sequences):
        text = data.decode("utf-8", errors=_STRAY_HANDLER)
        return text, [f"Mezcla de codificaciones: {strays} bytes que no son UTF-8 se leyeron como Windows-1252."]
    encoding = _best_single_byte(data)
    return _decode_single_byte(data, encoding), [f"Leído como {_SINGLE_BYTE[encoding]}; no es UTF-8."]


def _best_single_byte(data: bytes) -> str:
    """Return the code page whose reading of the high bytes looks most like Spanish."""
    high = b"".join(_HIGH_BYTE.findall(data[: 8 * _SAMPLE]))
    fits = {name: sum(c in _EXPECTED for c in _decode_single_byte(high, name)) for name in _SINGLE_BYTE}
    best = max(fits, key=lambda name: fits[name])
    return best if fits[best] > _CLEARLY_BETTER * fits["cp1252"] else "cp1252"


def _decode_single_byte(data: bytes, encoding: str) -> str:
    """Decode every byte; the five bytes that Windows-1252 leaves undefined become U+FFFD, none is dropped."""
    return data.decode(encoding, errors="replace")


def _read_strays(error: UnicodeError) -> tuple[str, int]:
    """Read the bytes that broke UTF-8 as Windows-1252 (a codec error handler: linear, unlike decoding piecewise)."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return _decode_single_byte(error.object[error.start : error.end], "cp1252"), error.end


_STRAY_HANDLER = "siaa-windows-1252"
codecs.register_error(_STRAY_HANDLER, _read_strays)


# UTF-8 read as Windows-1252 by an earlier program: "Ã" or "Â" before a sign that never follows them in Spanish.
_MOJIBAKE = re.compile(r"Ã[\x80-\xbf±³¡©­º‰“]|Â[\xa0-\xbf]|â€[\x80-\xbfœ™˜“”¦]")


def _with_content_warnings(text: str, warnings: list[str]) -> Decoded:
    nuls = text.count("\x00")
    if nuls:
        warnings.append(f"Se quitaron {nuls} bytes NUL.")
    composed = unicodedata.normalize("NFC", text.replace("\r\n", "\n"))  # so that warnings do not depend on the form
    lost = composed.count("\ufffd")
    if lost:
        share = 100 * lost / len(composed)
        warnings.append(f"Hay {lost} caracteres perdidos en el original (U+FFFD, {share:.1f} % del texto).")
    damaged = _MOJIBAKE.search(composed)
    if damaged:
        warnings.append(f"Restos de una codificación dañada («{damaged[0]}»): se conservan sin corregir.")
    return Decoded(text, tuple(warnings))
