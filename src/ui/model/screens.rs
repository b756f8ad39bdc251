//! From the name of a screen to its component, and the scene that it is given. Nothing else asks which screen this is.

use super::*;

/// The state of a screen by its name, borrowed as it is asked for.
macro_rules! named {
    ($model:ident, $screen:expr, $($borrow:tt)+) => {
        match $screen {
            Screen::Search => $($borrow)+ $model.search,
            Screen::Basket => $($borrow)+ $model.basket,
            Screen::Owned => $($borrow)+ $model.owned,
            Screen::Saved => $($borrow)+ $model.saved,
            Screen::Counts => $($borrow)+ $model.counts,
            Screen::Jobs => $($borrow)+ $model.jobs,
            Screen::Match => $($borrow)+ $model.matching,
        }
    };
}

macro_rules! scene {
    ($model:ident, $fx:ident) => {
        Scene {
            side: $model.search.side,
            masked: $model.search.masked,
            body: $model.shell().map_or(Rect::ZERO, |shell| shell.body),
            session: &mut $model.session,
            behind: &$model.behind,
            now: $model.now,
            fx: $fx,
            nav: &mut $model.nav,
            messages: &mut $model.messages,
            keymap: &$model.keymap,
            intents: Vec::new(),
        }
    };
}

impl Model {
    pub fn component(&self, screen: Screen) -> &dyn Component {
        let component: &dyn Component = named!(self, screen, &);
        component
    }

    /// The screen that is shown.
    pub fn shown(&self) -> &dyn Component {
        self.component(self.nav.screen)
    }

    /// Draws it.
    pub fn draw_shown(&self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let scene = self.scene_ref();
        match self.nav.screen {
            Screen::Search => ScreenView(&self.search, scene).render(body, buf, cx),
            Screen::Basket => ScreenView(&self.basket, scene).render(body, buf, cx),
            Screen::Owned => ScreenView(&self.owned, scene).render(body, buf, cx),
            Screen::Saved => ScreenView(&self.saved, scene).render(body, buf, cx),
            Screen::Counts => ScreenView(&self.counts, scene).render(body, buf, cx),
            Screen::Jobs => ScreenView(&self.jobs, scene).render(body, buf, cx),
            Screen::Match => ScreenView(&self.matching, scene).render(body, buf, cx),
        }
    }

    pub fn scene_ref(&self) -> SceneRef<'_> {
        SceneRef {
            session: &self.session,
            behind: &self.behind,
            side: self.search.side,
            masked: self.search.masked,
            offset_minutes: self.offset_minutes,
            now: self.now,
        }
    }

    /// A screen with its scene.
    pub fn staged<'a>(&'a mut self, screen: Screen, fx: &'a mut Vec<Effect>) -> (&'a mut dyn Component, Scene<'a>) {
        let scene = scene!(self, fx);
        let component: &mut dyn Component = named!(self, screen, &mut);
        (component, scene)
    }

    /// The Search screen with its scene: all other screens lead to it.
    pub fn staged_search<'a>(&'a mut self, fx: &'a mut Vec<Effect>) -> (&'a mut search::state::State, Scene<'a>) {
        let scene = scene!(self, fx);
        (&mut self.search, scene)
    }
}
