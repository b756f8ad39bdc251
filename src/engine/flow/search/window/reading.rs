//! Which pages are asked for, and what an answered one becomes.

use crate::effect::call::Reply;
use crate::effect::failure::{Failure, Unclear};
use crate::flow::desk::{Cx, Heard, Waits};
use crate::flow::limiter::Priority;
use crate::flow::search::applied;
use lode_core::credits::grouped;
use lode_core::page::Page;
use lode_core::time::Now;

use super::{Asked, FAILED_REST_MS, FORESEEN, LOOKED_AT, Moved, News, Status, TOO_SLOW_TO_FORESEE_MS, Window};

impl Window {
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        let Heard::Reply(id, _, result) = heard else { return false };
        if self.hear_marking(*id, result, cx) {
            return true;
        }
        let Some(at) = self.asked.iter().position(|asked| asked.id == *id) else { return false };
        let asked = self.asked.swap_remove(at);
        match result {
            Ok(Reply::Page(page)) if asked.mends => self.mended(&asked, page),
            _ if asked.mends => self.mends_failed(&asked),
            // A place that was kept from before, in a service that does not go there: from the beginning.
            Ok(Reply::Page(page))
                if asked.page.is_none()
                    && asked.offset > 0
                    && (page.offset != asked.offset || page.uncounted && page.rows.is_empty()) =>
            {
                (self.view.top, self.view.cursor) = (0, 0);
                self.ask_first(cx);
                return true;
            }
            Ok(Reply::Page(page)) => {
                self.arrived(&asked, page.clone(), cx.now);
            }
            Ok(_) => {
                let words = "unexpected response to a search".to_owned();
                self.page_failed(&asked, &Failure::OurBug { words }, cx.now);
            }
            Err(failure) => self.page_failed(&asked, failure, cx.now),
        }
        self.attend(cx);
        true
    }

    fn page_failed(&mut self, asked: &Asked, failure: &Failure, now: Now) {
        let Some(page) = asked.page else {
            self.status = Status::Failed(failure.clone());
            self.news.push(News::Failed(failure.clone()));
            return;
        };
        self.failed.retain(|(failed, ..)| *failed != page);
        self.failed.push((page, failure.clone(), now.mono));
        self.ahead = self.ahead.min(asked.index);
        if !asked.foreseen {
            self.news.push(News::PageFailed { index: asked.index, failure: failure.clone() });
        }
    }

    /// Without a total, a page that is not full is the last one, and one more row is expected behind a full one.
    fn count(&mut self, asked: &Asked, page: &mut Page) {
        self.uncounted |= page.uncounted;
        if !self.uncounted {
            return;
        }
        let rows = page.rows.len() as u64;
        let end = asked.offset.saturating_add(rows);
        let is_full = rows > 0 && rows >= page.limit.min(self.pages.stride());
        page.total =
            if is_full { self.total.unwrap_or(0).saturating_sub(asked.gone).max(end.saturating_add(1)) } else { end };
        self.first_total = None;
    }

    fn arrived(&mut self, asked: &Asked, mut page: Page, now: Now) {
        let first = asked.page.is_none();
        self.take_stride(asked, &page);
        self.count(asked, &mut page);
        let total = page.total.saturating_add(asked.gone);
        self.status = Status::Loaded;
        self.took_ms = page.took_ms.or(self.took_ms);
        self.total = Some(total);
        let began = *self.first_total.get_or_insert(total);
        if began != total && self.moved.is_none_or(|moved| moved.is != total) {
            let moved = Moved { was: began, is: total };
            self.moved = Some(moved);
            self.news.push(News::Moved(moved));
        }
        // Rows of another place would be shown as those of this one.
        if !first && page.offset != asked.offset && !page.rows.is_empty() && asked.index < total {
            let row = |offset: u64| grouped(offset.saturating_add(1));
            let words =
                format!("row {} was requested, but the service sent row {}", row(asked.offset), row(page.offset));
            let failure = Failure::Unclear { why: Unclear::Unreadable, words };
            return self.page_failed(asked, &failure, now);
        }
        // Pages are cut by the stride: one that was asked for at another cut is not kept, its place is asked for again.
        if !asked.index.is_multiple_of(self.pages.stride()) {
            return;
        }
        if page.rows.is_empty() && asked.index < total {
            self.hole = Some(asked.index);
            self.news.push(News::Hole { index: asked.index, total });
        }
        let ids = page.rows.iter().filter_map(|row| row.id()).collect();
        self.news.push(News::Page { first, total: page.total, offset: self.pages.offset(asked.index), ids });
        let number = self.pages.page_of(asked.index);
        self.failed.retain(|(failed, ..)| *failed != number);
        self.pages.put(number, page, asked.gone, now.mono);
        // Where the set moved, rows come again by right.
        if began == total && !self.uncounted {
            self.mend(number);
        }
        self.pages.bound(self.pages.page_of(self.view.cursor), self.most_rows);
    }

    /// The applied limit decides the stride (S1). A last page may report the few rows it holds: that says nothing.
    fn take_stride(&mut self, asked: &Asked, page: &Page) {
        let stride = self.pages.stride();
        if stride == 0 {
            self.pages.set_stride(applied(self.limit, page));
            return;
        }
        let reached = asked.index.saturating_add(page.rows.len() as u64);
        let is_last = reached >= page.total.saturating_add(asked.gone);
        if applied(stride, page) < stride && !is_last {
            self.pages.set_stride(applied(stride, page));
            self.failed.clear();
        }
    }

    /// Whether the set still is what it was, after pages that were read in motion lost their say.
    pub(super) fn judge_moved(&mut self) {
        let Some(began) = self.first_total else { return };
        self.moved = self.pages.disagreeing(began).map(|is| Moved { was: began, is });
    }

    /// Asks for what is looked at and not here, then for what probably will be.
    pub(super) fn attend(&mut self, cx: &mut Cx<'_>) {
        let (Some(total), Status::Loaded) = (self.total, &self.status) else { return };
        if total == 0 || self.pages.stride() == 0 {
            return;
        }
        let looked_at = if self.rests { Vec::new() } else { self.looked_at(total) };
        let foreseen = self.foreseen(total, &looked_at);
        self.drop_unseen(&looked_at, &foreseen, cx);
        let mut on_their_way = self.asked.iter().filter(|asked| !asked.foreseen).count();
        for page in &looked_at {
            if let Some(asked) = self.asked.iter_mut().find(|asked| asked.page == Some(*page)) {
                if std::mem::take(&mut asked.foreseen) {
                    on_their_way += 1;
                    cx.hurry(asked.id, Priority::Person);
                }
            } else if on_their_way < LOOKED_AT && self.wants(*page, cx.now) {
                on_their_way += 1;
                self.ask_page(*page, false, cx);
            }
        }
        for page in foreseen {
            let on_their_way = self.asked.iter().filter(|asked| asked.foreseen).count();
            let is_asked = self.asked.iter().any(|asked| asked.page == Some(page));
            if on_their_way < FORESEEN && !is_asked && self.wants(page, cx.now) {
                self.ask_page(page, true, cx);
            }
        }
        self.ask_ahead(cx);
        self.ask_mend(cx);
    }

    /// The next page that is read without being looked at. A service that takes its time is not asked for any.
    pub(super) fn page_ahead(&self) -> Option<u64> {
        let rows = self.ahead.min(self.total?);
        if rows == 0 || self.pages.stride() == 0 || self.took_ms.is_some_and(|took| took > TOO_SLOW_TO_FORESEE_MS) {
            return None;
        }
        (0..=self.pages.page_of(rows - 1)).find(|page| !self.pages.is_good(*page))
    }

    fn ask_ahead(&mut self, cx: &mut Cx<'_>) {
        let Some(page) = self.page_ahead() else { return };
        if self.asked.iter().any(|asked| asked.page == Some(page)) || !self.wants(page, cx.now) {
            return;
        }
        let index = self.pages.start_of(page);
        let offset = self.pages.offset(index);
        let id = self.ask(offset, self.pages.stride(), Priority::Coverage, cx);
        self.asked.push(Asked {
            id,
            page: Some(page),
            index,
            offset,
            gone: self.pages.gone(),
            foreseen: true,
            mends: false,
        });
    }

    pub(super) fn wants(&self, page: u64, now: Now) -> bool {
        let rests = |failed_at| now.mono.since(failed_at).as_millis() < u128::from(FAILED_REST_MS);
        let resting = self.failed.iter().any(|(failed, _, at)| *failed == page && rests(*at));
        !self.pages.is_good(page) && !resting
    }

    pub(super) fn ask_page(&mut self, page: u64, foreseen: bool, cx: &mut Cx<'_>) {
        let index = self.pages.start_of(page);
        let priority = if foreseen { Priority::Prefetch } else { Priority::Person };
        let offset = self.pages.offset(index);
        let id = self.ask(offset, self.pages.stride(), priority, cx);
        self.asked.push(Asked { id, page: Some(page), index, offset, gone: self.pages.gone(), foreseen, mends: false });
    }

    /// Pages on the screen, the cursor's first.
    fn looked_at(&self, total: u64) -> Vec<u64> {
        let view = self.view;
        let last = total - 1;
        let cursor = self.pages.page_of(view.cursor.min(last));
        let top = self.pages.page_of(view.top.min(last));
        let bottom = self.pages.page_of(view.top.saturating_add(view.height.max(1) - 1).min(last));
        let mut pages: Vec<u64> = (top..=bottom).take(64).collect();
        if !pages.contains(&cursor) {
            pages.push(cursor);
        }
        pages.sort_by_key(|page| page.abs_diff(cursor));
        pages
    }

    /// The next page in the direction of travel, and enough of them for another screen.
    fn foreseen(&self, total: u64, looked_at: &[u64]) -> Vec<u64> {
        if self.took_ms.is_some_and(|took| took > TOO_SLOW_TO_FORESEE_MS) {
            return Vec::new();
        }
        let last = self.pages.page_of(total - 1);
        let screens = self.view.height.div_ceil(self.pages.stride()).clamp(1, 8);
        let (Some(top), Some(bottom)) = (looked_at.iter().min(), looked_at.iter().max()) else { return Vec::new() };
        if self.view.backward {
            (top.saturating_sub(screens)..*top).rev().collect()
        } else {
            (bottom.saturating_add(1)..=bottom.saturating_add(screens).min(last)).collect()
        }
    }

    /// Waiting pages that are no longer visible give their slot to visible ones.
    fn drop_unseen(&mut self, seen: &[u64], foreseen: &[u64], cx: &mut Cx<'_>) {
        let unseen = |asked: &Asked| {
            asked.page.is_some_and(|page| !seen.contains(&page) && !foreseen.contains(&page))
                && asked.index >= self.ahead
                && !asked.mends
        };
        let mut at = 0;
        while at < self.asked.len() {
            let id = self.asked[at].id;
            if unseen(&self.asked[at]) && !matches!(cx.desk.waits(id, cx.now), Some(Waits::Answer { .. })) {
                cx.cancel(id);
                self.asked.swap_remove(at);
            } else {
                at += 1;
            }
        }
    }
}
