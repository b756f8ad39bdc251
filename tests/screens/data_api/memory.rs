//! What a million ids of a saved search weigh, measured by an allocator that counts.
#![allow(unsafe_code)] // An allocator is unsafe by its signature; this one only counts and hands on.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bytes::Bytes;
use lode_core::contact::RowId;
use lode_core::ids::pack;
use lode_core::time::Wall;
use lode_engine::effect::store::Snapshot;
use lode_engine::flow::saved::watch::NewRows;

thread_local! {
    /// Bytes that this thread holds, and the most it ever held.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn count(bytes: isize) {
    // A thread that is ending has nowhere to count any more.
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        held.set((now + bytes, most.max(now + bytes)));
    });
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` leaves behind, and the most it took meanwhile, in bytes.
fn weighed<T>(work: impl FnOnce() -> T) -> (T, isize, isize) {
    let before = HELD.with(|held| {
        let (now, _) = held.get();
        held.set((now, now));
        now
    });
    let made = work();
    let (now, most) = HELD.with(Cell::get);
    (made, now - before, most - before)
}

const MILLION: u64 = 1_000_000;
const FOUR_MB: isize = 4_000_000;

/// Different ids of a corpus of eighty million, here and there, in no order.
fn ids(count: u64) -> impl Iterator<Item = RowId> {
    let room = 80 * MILLION / count;
    (0..count).map(move |at| {
        // A step that shares no factor with the count comes by every place once.
        let place = at * 7_368_787 % count;
        let inside = (place ^ 0x9e37).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        RowId((place * room + inside % room) as i64 + 1)
    })
}

#[test]
fn a_million_ids_of_the_last_run_weigh_less_than_four_megabytes() {
    let bytes = pack(ids(MILLION));
    assert!(bytes.len() < 2_000_000, "{} bytes on the disk", bytes.len());
    // As they come from the store: the bytes are part of what is weighed.
    let (news, held, most) = weighed(|| {
        let ids = Bytes::copy_from_slice(&bytes);
        NewRows::since(Some(&Snapshot { total: MILLION, at: Wall(0), read: MILLION, ids }))
    });
    println!("{} bytes on the disk; {held} held, at most {most} meanwhile", bytes.len());
    assert!(held > bytes.len() as isize && most < FOUR_MB, "{held} held, {most} at most");
    assert!(ids(MILLION).step_by(31).all(|id| !news.is_new(id)));
    let new = (1..80_000_000).step_by(99_991).filter(|id| news.is_new(RowId(*id))).count();
    assert!((780..=800).contains(&new), "79 of 80 are new: {new}");
}

/// A quarter of a million in a quarter of the room: inserting a million takes its time in a build for debugging.
#[test]
fn what_is_read_now_weighs_no_more_than_what_was_read_then() {
    let (mut news, held, most) = weighed(|| {
        let mut news = NewRows::since(None);
        for id in ids(MILLION / 4) {
            news.read(Some(id));
        }
        news
    });
    println!("{held} held, at most {most} meanwhile");
    assert_eq!(news.rows_read, MILLION / 4);
    assert!(held < FOUR_MB / 4 && most < FOUR_MB / 2, "{held} held, {most} at most");
    assert!(!news.read(ids(MILLION / 4).next()));
    let (snapshot, kept, _) = weighed(|| news.snapshot(MILLION / 4, Wall(0)));
    assert!(kept < FOUR_MB / 4, "{kept}");
    assert_eq!(snapshot.ids, pack(ids(MILLION / 4)));
}
