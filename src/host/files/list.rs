//! A list of the person's as text, whatever program saved it: UTF-8, UTF-16 and Windows-1252 as Excel saves them, and its
//! workbooks (.xlsx). What cannot be read is an error that names the line: a list that is read in part would let contacts through.

use std::io::{Cursor, Read};

use calamine::{Data, DataRef, Reader, Xlsx, XlsxError};

/// A suppression list of a million addresses. Larger ones are not read.
const MOST: u64 = 64 << 20;

/// The characters of Windows-1252 from 0x80 on that are not those of Unicode.
const WINDOWS: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“', '”', '•',
    '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// The text of a list, with lines that end in `\n` alone. Nothing behind [`MOST`] bytes is taken in.
pub fn read(input: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    input.take(MOST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST {
        return Err(too_large());
    }
    let text = text(bytes)?;
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

fn too_large() -> String {
    format!("it has more than {} MB", MOST >> 20)
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    match bytes.as_slice() {
        [b'P', b'K', 3, 4, ..] => return workbook(bytes),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => {
            let words = "it is an old or protected Excel workbook; save it as .xlsx without a password, or as CSV";
            return Err(words.to_owned());
        }
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        _ => {}
    }
    // Without a mark, UTF-16 shows in the zeros of its ASCII characters.
    let start = &bytes[..bytes.len().min(4096)];
    let zeros = |place: usize| start.iter().skip(place).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let many = start.len() / 16;
    if odd > even * 4 && odd > many {
        return utf16(&bytes, u16::from_le_bytes);
    }
    if even > odd * 4 && even > many {
        return utf16(&bytes, u16::from_be_bytes);
    }
    String::from_utf8(bytes).or_else(|error| windows(error.as_bytes())).and_then(is_text)
}

/// The line of a place, as an editor counts.
fn line(before: &str) -> usize {
    let breaks = before.matches('\n').count() + before.matches('\r').count() - before.matches("\r\n").count();
    breaks + 1
}

fn is_text(text: String) -> Result<String, String> {
    let Some(at) = text.find('\0') else { return Ok(text) };
    Err(format!("line {} is not text", line(&text[..at])))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    for c in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        let c = c.map_err(|_| format!("line {} is not valid UTF-16", line(&text)))?;
        text.push(c);
    }
    if !rest.is_empty() {
        return Err(format!("line {} is not valid UTF-16: its last character is cut", line(&text)));
    }
    is_text(text)
}

/// Text that is not UTF-8. Where most lines with other letters than ASCII are, single lines are damaged.
fn windows(bytes: &[u8]) -> Result<String, String> {
    let other = || bytes.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_ascii());
    let valid = other().filter(|line| str::from_utf8(line).is_ok()).count();
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) || valid * 2 >= other().count() {
        let damaged = bytes.utf8_chunks().find(|chunk| !chunk.invalid().is_empty());
        let before =
            damaged.map_or(0, |chunk| chunk.valid().as_ptr() as usize - bytes.as_ptr() as usize + chunk.valid().len());
        let line = line(&String::from_utf8_lossy(&bytes[..before]));
        return Err(format!("line {line} is not valid UTF-8, as the other lines are"));
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for byte in bytes {
        match WINDOWS.get(usize::from(*byte).wrapping_sub(0x80)) {
            Some('\0') => {
                let line = line(&text);
                return Err(format!("line {line} is neither UTF-8 nor Windows-1252 (byte 0x{byte:02x})"));
            }
            Some(c) => text.push(*c),
            None => text.push(char::from(*byte)),
        }
    }
    Ok(text)
}

/// The worksheet as CSV, each row on the line of its number.
fn workbook(bytes: Vec<u8>) -> Result<String, String> {
    let damaged = |error: XlsxError| format!("it is not a readable Excel workbook (.xlsx): {error}");
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut filled: Vec<(String, String)> = Vec::new();
    for name in book.sheet_names() {
        let text = match sheet(&mut book, &name) {
            Err(XlsxError::NotAWorksheet(_)) => continue,
            read => read.map_err(damaged)?.ok_or_else(too_large)?,
        };
        if !text.is_empty() {
            filled.push((name, text));
        }
    }
    if filled.len() > 1 {
        let names: Vec<String> = filled.iter().map(|(name, _)| format!("`{name}`")).collect();
        let names = names.join(", ");
        return Err(format!("it has several worksheets with data ({names}); save the one to read as its own file"));
    }
    Ok(filled.pop().map(|(_, text)| text).unwrap_or_default())
}

/// None if it has more than [`MOST`] bytes.
fn sheet(book: &mut Xlsx<Cursor<Vec<u8>>>, name: &str) -> Result<Option<String>, XlsxError> {
    let mut cells = book.worksheet_cells_reader(name)?;
    let (mut text, mut row, mut column) = (String::new(), 0, 0);
    while let Some(cell) = cells.next_cell()? {
        let value = value(cell.get_value());
        let (at, place) = cell.get_position();
        // A row whose only cell is a failed formula is a line without a value, not an empty line.
        if value.trim().is_empty() && !matches!(cell.get_value(), DataRef::Error(_)) {
            continue;
        }
        while row < at {
            text.push('\n');
            (row, column) = (row + 1, 0);
        }
        while column < place {
            text.push(',');
            column += 1;
        }
        text.push('"');
        text.push_str(&value.replace('"', "\"\"").replace(['\n', '\r'], " "));
        text.push('"');
        if text.len() as u64 > MOST {
            return Ok(None);
        }
    }
    Ok(Some(text))
}

/// A cell as Excel shows it, numbers and dates without their format. A formula that failed has no value.
fn value(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::DateTime(time) if time.is_datetime() => {
            let (year, month, day, ..) = time.to_ymd_hms_milli();
            format!("{year:04}-{month:02}-{day:02}")
        }
        DataRef::Error(_) => String::new(),
        value => Data::from(value.clone()).to_string(),
    }
}
