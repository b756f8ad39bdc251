//! From the name of a screen to its component, and the scene that it is given. Nothing else asks which screen this is.

use super::*;

/// Does something with the state of a screen, by its name. It is borrowed as it is asked for.
macro_rules! named {
    ($model:ident, $screen:expr, ($($borrow:tt)+) $state:ident => $with:expr) => {
        match $screen {
            Screen::Search => { let $state = $($borrow)+ $model.search; $with }
            Screen::Basket => { let $state = $($borrow)+ $model.basket; $with }
            Screen::Owned => { let $state = $($borrow)+ $model.owned; $with }
            Screen::Saved => { let $state = $($borrow)+ $model.saved; $with }
            Screen::Counts => { let $state = $($borrow)+ $model.counts; $with }
            Screen::Jobs => { let $state = $($borrow)+ $model.jobs; $with }
            Screen::Match => { let $state = $($borrow)+ $model.matching; $with }
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
            intents: Vec::new(),
        }
    };
}

impl Model {
    pub fn component(&self, screen: Screen) -> &dyn Component {
        named!(self, screen, (&) state => state)
    }

    /// The screen that is shown.
    pub fn shown(&self) -> &dyn Component {
        self.component(self.nav.screen)
    }

    /// Draws it.
    pub fn draw_shown(&self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let scene = self.scene_ref();
        named!(self, self.nav.screen, (&) state => ScreenView(state, scene).render(body, buf, cx))
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

    /// The screen that is shown, with its scene.
    pub fn staged<'a>(&'a mut self, fx: &'a mut Vec<Effect>) -> (&'a mut dyn Component, Scene<'a>) {
        let scene = scene!(self, fx);
        (named!(self, scene.nav.screen, (&mut) state => state as &mut dyn Component), scene)
    }

    /// The Search screen with its scene: all other screens lead to it.
    pub fn staged_search<'a>(&'a mut self, fx: &'a mut Vec<Effect>) -> (&'a mut search::state::State, Scene<'a>) {
        let scene = scene!(self, fx);
        (&mut self.search, scene)
    }

    /// The Match screen with its scene: what is matched moves while another screen is shown.
    pub fn staged_match<'a>(&'a mut self, fx: &'a mut Vec<Effect>) -> (&'a mut matching::State, Scene<'a>) {
        let scene = scene!(self, fx);
        (&mut self.matching, scene)
    }
}
