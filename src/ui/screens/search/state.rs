//! Where one is on the Search screen: a grid per side, each with its draft, its place and its columns.

use super::*;

/// The pane that has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    Filters,
    #[default]
    Results,
    Contact,
}

#[derive(Clone, Debug, Default)]
pub struct State {
    pub side: Side,
    grids: [GridState; 4],
    pub pane: Pane,
    /// Which panes are wanted, per class of width.
    pub panes: [Panes; layout::CLASSES],
    pub edit: Option<Edit>,
    /// What a value becomes that is picked from a list.
    pub picking: Becomes,
    /// The row on which the mouse went down: dragged from there it makes a range.
    pub pressed: Option<u64>,
    /// Line of the filter pane.
    pub line: usize,
    /// Which of several values of that line; none where the filter as a whole is meant.
    pub value: Option<usize>,
    pub find: Option<String>,
    /// What the last find found.
    pub found: Option<FindResult>,
    /// Hides what is owned on the screen.
    pub masked: bool,
    /// Values typed before, newest first, for the suggestions.
    pub typed: Vec<(Filter, String)>,
    pub undo: Vec<UndoStep>,
    pub redo: Vec<UndoStep>,
    /// The saved search that is running is to show only what is new, once it is read.
    pub only_new: bool,
    /// The saved search that the draft was taken from: the name `s` proposes.
    pub saved_name: Option<String>,
}

/// All hits of the last find: the next one is looked up in them as long as they are true.
#[derive(Clone, Debug)]
pub struct FindResult {
    /// Stands for what was searched, and in which rows. A page that arrives drops the result, so of the rows their number is
    /// enough.
    pub mark: u64,
    /// On the screen, ascending.
    pub positions: Vec<u64>,
    /// How many there are in the loaded rows, those that an order of our own does not show too.
    pub all: usize,
}

impl FindResult {
    pub fn of(mark: u64, words: &str, grid: &GridState, window: &Legs) -> FindResult {
        let needle = Needle::new(words);
        let hits: Vec<u64> = window.fitting(0..u64::MAX, |row| needle.is_in(row)).map(|(index, _)| index).collect();
        let all = hits.len();
        let Some(order) = &grid.order else { return FindResult { mark, positions: hits, all } };
        // Where the order still names a row that was read again, it is what stands there now that counts.
        let is_hit = |index: &u64| hits.binary_search(index).is_ok() && matches!(window.slot(*index), Slot::Row(_));
        let positions = (0..).zip(&order.rows).filter(|(_, index)| is_hit(index)).map(|(position, _)| position);
        FindResult { mark, positions: positions.collect(), all }
    }
}

/// A step that cost nothing and can be taken back.
#[derive(Clone, Debug)]
pub enum UndoStep {
    /// The basket of this side keeps its own steps.
    Basket(Side),
    /// The search as it was on the other side of this step.
    Search(Query),
}

#[derive(Clone, Debug, Default)]
pub struct GridState {
    /// What the filter pane says; the window runs a copy of it.
    pub draft: Query,
    pub cursor: u64,
    pub top: u64,
    /// Place among all columns.
    pub column: usize,
    /// Where a range begins.
    pub anchor: Option<u64>,
    pub columns: Vec<GridColumn>,
    /// What the loaded rows need of each column, and of which rows that is true.
    pub needs: Vec<Option<Need>>,
    measured: Option<(usize, u64, u64)>,
    pub order: Option<SortedRows>,
    /// An order in the making.
    pub sorting: Option<Sorting>,
    /// Cursor and top before the rows were put in an order.
    pub before_order: Option<(u64, u64)>,
    /// The column that a view sorts by, and whether descending, until there are rows.
    pub sort_due: Option<(String, bool)>,
}

/// The loaded rows in an order of our own: positions on the screen to positions in the result.
#[derive(Clone, Debug)]
pub struct SortedRows {
    pub column: usize,
    pub back: bool,
    pub rows: Vec<u64>,
    /// How many rows were loaded.
    pub held: usize,
    /// Not an order but a choice: the rows of a saved search that are new.
    pub only_new: bool,
}

impl State {
    pub fn new(side: Side) -> State {
        State { side, grids: Side::ALL.map(GridState::new), ..State::default() }
    }

    pub fn grid(&self) -> &GridState {
        self.grid_of(self.side)
    }

    /// The result of the side that is shown.
    pub(super) fn window<'a>(&self, session: &'a Session) -> &'a Legs {
        &session.side(self.side).window
    }

    pub fn grid_mut(&mut self) -> &mut GridState {
        self.grid_of_mut(self.side)
    }

    /// Whether there is an order to go on with.
    pub fn is_sorting(&self) -> bool {
        self.grids.iter().any(|grid| grid.sorting.is_some())
    }

    /// A step was made that can be taken back.
    pub fn did(&mut self, step: UndoStep) {
        self.undo.push(step);
        self.redo.clear();
    }

    pub fn grid_of(&self, side: Side) -> &GridState {
        &self.grids[place(side)]
    }

    pub fn grid_of_mut(&mut self, side: Side) -> &mut GridState {
        &mut self.grids[place(side)]
    }
}

fn place(side: Side) -> usize {
    Side::ALL.iter().position(|known| *known == side).unwrap_or(0)
}

impl GridState {
    fn new(side: Side) -> GridState {
        GridState { draft: Query::new(side), columns: columns::defaults(side), ..GridState::default() }
    }

    /// There is a column of the score as long as there are rules for one.
    pub fn keep_score(&mut self, has_score: bool) {
        match (self.columns.iter().position(GridColumn::is_score), has_score) {
            (None, true) => {
                self.columns.insert(1.min(self.columns.len()), GridColumn::new(columns::SCORE, true));
                self.column += usize::from(self.column >= 1);
                if let Some(order) = &mut self.order {
                    order.column += usize::from(order.column >= 1);
                }
            }
            (Some(at), false) => {
                self.columns.remove(at);
                self.column -= usize::from(self.column >= at && self.column > 0);
                self.order = self.order.take().filter(|order| order.only_new);
            }
            _ => {}
        }
    }

    /// Measures the loaded rows again where they, the columns or what is owned changed.
    pub fn measure(&mut self, window: &Legs, owned: u64) {
        let mut hasher = DefaultHasher::new();
        self.columns.iter().for_each(|column| (&column.key, column.shown).hash(&mut hasher));
        (window.query(), window.loaded().next().map(|(index, _)| index)).hash(&mut hasher);
        let mark = Some((window.held(), owned, hasher.finish()));
        // While a new search is under way the columns stay as they are.
        if self.measured != mark && window.held() > 0 {
            self.measured = mark;
            self.needs = columns::needs(&self.columns, window.loaded().map(|(_, row)| row));
        }
    }

    /// How many rows the list has: the whole result, or the loaded ones in an order of our own.
    pub fn count(&self, window: &Legs) -> u64 {
        self.order.as_ref().map_or_else(|| window.total().unwrap_or(0), |order| order.rows.len() as u64)
    }

    /// Position in the result of a position on the screen.
    pub fn index(&self, position: u64) -> u64 {
        let row = |order: &SortedRows| order.rows.get(usize::try_from(position).ok()?).copied();
        self.order.as_ref().and_then(row).unwrap_or(position)
    }

    /// What is at a position of the list.
    fn slot<'a>(&self, window: &'a Legs, at: u64) -> Option<Slot<'a>> {
        (at < self.count(window)).then(|| window.slot(self.index(at)))
    }

    /// The row under the cursor, if it is here.
    pub fn row<'a>(&self, window: &'a Legs) -> Option<&'a Row> {
        self.row_at(window, self.cursor)
    }

    pub fn row_at<'a>(&self, window: &'a Legs, at: u64) -> Option<&'a Row> {
        if let Slot::Row(row) | Slot::Again(row) = self.slot(window, at)? { Some(row) } else { None }
    }

    /// Whether the row under the cursor was shown by another leg first.
    pub fn is_repeat(&self, window: &Legs) -> bool {
        matches!(self.slot(window, self.cursor), Some(Slot::Again(_)))
    }

    /// Keeps the cursor in the list and the list under the cursor, for `height` visible rows.
    pub fn settle(&mut self, count: u64, height: u64) {
        let height = height.max(1);
        self.cursor = self.cursor.min(count.saturating_sub(1));
        let top = self.top.min(count.saturating_sub(height));
        self.top = top.clamp((self.cursor + 1).saturating_sub(height), self.cursor);
    }

    /// The positions between the anchor and the cursor, both included.
    pub fn range(&self) -> std::ops::RangeInclusive<u64> {
        let anchor = self.anchor.unwrap_or(self.cursor);
        anchor.min(self.cursor)..=anchor.max(self.cursor)
    }

    /// Back to the beginning, for a result that has nothing to do with the one before.
    pub fn rewind(&mut self) {
        (self.cursor, self.top, self.anchor) = (0, 0, None);
        self.unsort();
    }

    /// In the order of the service again. Returns where the cursor and the top were before.
    pub fn unsort(&mut self) -> Option<(u64, u64)> {
        self.order = None;
        self.sorting = None;
        self.sort_due = None;
        self.before_order.take()
    }
}
