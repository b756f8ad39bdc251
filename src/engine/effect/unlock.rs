//! The request that costs, and the store's proof that its intent was written (money rule 13, *one way out*).

use super::*;

/// The one request that costs. It comes only out of a [`WrittenIntent`], which it uses up, and can be neither changed nor copied (money
/// rule 13, *one way out*). The compiler keeps this: to build one is E0423, to use it or its intent a second time E0382.
#[derive(Debug, PartialEq)]
pub struct UnlockCall(UnlockBody);

/// The contacts of an unlock request, in the order of sending.
#[derive(Clone, Debug, PartialEq)]
pub struct UnlockBody {
    pub corpus: Corpus,
    pub ids: Vec<RowId>,
    pub verify: bool,
}

impl std::ops::Deref for UnlockCall {
    type Target = UnlockBody;

    fn deref(&self) -> &UnlockBody {
        &self.0
    }
}

/// Proof that the store wrote an intent down, synced: the next sending of a batch.
#[derive(Debug, PartialEq)]
pub struct WrittenIntent {
    pub order: OrderId,
    pub batch: BatchId,
    /// Which sending of the batch this is, counting those of every window.
    pub sent: u32,
    request: UnlockCall,
}

impl WrittenIntent {
    /// Called by the transaction that writes the intent, and nowhere else (`tests/program/repository/tidy`).
    pub fn new(order: OrderId, batch: BatchId, sent: u32, mut written: UnlockBody) -> WrittenIntent {
        if put_back("resend-other-ids") && sent > 1 {
            written.ids.remove(0);
        }
        WrittenIntent { order, batch, sent, request: UnlockCall(written) }
    }

    /// The request for exactly the contacts that were written down. One intent is one request.
    pub fn request(self) -> UnlockCall {
        self.request
    }
}
