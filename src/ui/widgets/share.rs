//! How columns share the room of a line: what does not fit goes, what is left over goes to those that need it.

/// Takes out of what is shown what matters least, until the rest fits.
pub fn fit<T, R: Ord>(all: &mut Vec<T>, rank: impl Fn(&T) -> R, fits: impl Fn(&[T]) -> bool) {
    while !fits(all) {
        let Some((goes, _)) = all.iter().enumerate().min_by_key(|(_, one)| rank(one)) else { return };
        all.remove(goes);
    }
}

/// What a column asks for.
pub struct ColumnRequest {
    /// Its place among all columns.
    pub column: usize,
    /// It is not shown with less.
    pub least: u16,
    pub start: u16,
    /// What it grows to while there is room; all columns have the first before one has the second.
    pub aims: [u16; 3],
    /// The lowest goes first.
    pub rank: u8,
    /// Gives way last.
    pub wanted: bool,
}

/// Rows whose values are measured.
pub const MEASURED: usize = 120;

/// How wide the values of a column are: nearly all of them, and the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    pub usual: u16,
    pub most: u16,
}

impl Need {
    /// None without values. No value needs more than `most`. A few long ones do not widen a column.
    pub fn of(mut widths: Vec<usize>, most: u16) -> Option<Need> {
        widths.sort_unstable();
        let cells = |wide: usize| u16::try_from(wide).unwrap_or(u16::MAX).min(most);
        Some(Need { usual: cells(*widths.get(widths.len() * 9 / 10)?), most: cells(*widths.last()?) })
    }
}

/// A column that is drawn: its place among all columns, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub column: usize,
    pub x: u16,
    pub width: u16,
}

fn sum(widths: impl Iterator<Item = u16>, gap: u16) -> u32 {
    widths.map(|width| u32::from(width) + u32::from(gap)).sum::<u32>().saturating_sub(u32::from(gap))
}

/// What the columns need at least.
pub fn least(requests: &[ColumnRequest], gap: u16) -> u32 {
    sum(requests.iter().map(|request| request.least), gap)
}

/// Leaves out what does not fit, but never the column `kept`.
pub fn fitting(mut requests: Vec<ColumnRequest>, room: u16, gap: u16, kept: Option<usize>) -> Vec<ColumnRequest> {
    let rank = |request: &ColumnRequest| (Some(request.column) == kept, request.rank);
    fit(&mut requests, rank, |requests| requests.len() <= 1 || least(requests, gap) <= u32::from(room));
    requests
}

/// The width of each, and what is left over.
pub fn widths(requests: &[ColumnRequest], room: u16, gap: u16) -> (Vec<u16>, u16) {
    let mut widths: Vec<u16> = requests.iter().map(|request| request.start).collect();
    let begun = sum(widths.iter().copied(), gap);
    for _ in u32::from(room)..begun {
        let slack = |at: usize| widths[at].saturating_sub(requests[at].least);
        let giving = (0..requests.len()).filter(|at| slack(*at) > 0);
        let Some(gives) = giving.max_by_key(|at| (!requests[*at].wanted, slack(*at))) else { break };
        widths[gives] -= 1;
    }
    let mut left = u32::from(room).saturating_sub(begun) as u16;
    // One cell each at a time.
    for aim in 0..3 {
        let mut gave = true;
        while left > 0 && std::mem::take(&mut gave) {
            for (width, request) in widths.iter_mut().zip(requests) {
                if left > 0 && *width < request.aims[aim] {
                    *width += 1;
                    left -= 1;
                    gave = true;
                }
            }
        }
    }
    (widths, left)
}

/// One beside the other.
pub fn placed(requests: &[ColumnRequest], widths: &[u16], room: u16, gap: u16) -> Vec<Placed> {
    let mut next = 0;
    let place = |(request, width): (&ColumnRequest, &u16)| {
        let x = next;
        next += width + gap;
        Placed { column: request.column, x, width: (*width).min(room.saturating_sub(x)) }
    };
    requests.iter().zip(widths).map(place).collect()
}
