//! How blocks travel between processes.

use std::io::Write;

use hyperslide_table::SentBlock;
use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// Something for another process.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub from: u32,
    pub to: u32,
    pub sent: SentBlock,
}

/// What timely dataflow moves: envelopes, each a record. Its own encoding copies the bytes of a
/// block once and in one piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnvelopeBatch(pub Vec<Envelope>);

/// Numbers before the bytes of an envelope, of 8 bytes each.
const HEAD: usize = 6;

impl Accountable for EnvelopeBatch {
    fn record_count(&self) -> i64 {
        self.0.len() as i64
    }
}

impl ContainerBytes for EnvelopeBatch {
    fn from_bytes(bytes: Bytes) -> EnvelopeBatch {
        let mut rest = &bytes[..];
        let mut number = || {
            let (first, others) = rest.split_at(8);
            rest = others;
            u64::from_le_bytes(first.try_into().unwrap_or_default())
        };
        let count = number() as usize;
        let heads: Vec<[u64; HEAD]> =
            (0..count).map(|_| std::array::from_fn(|_| number())).collect();
        let envelopes = heads.into_iter().map(|[from, to, block, states, checksum, length]| {
            let (bytes, others) = rest.split_at(length as usize);
            rest = &others[padding(length as usize)..];
            let sent = SentBlock {
                block: block as u32,
                states: states as u32,
                checksum: checksum as u32,
                bytes: bytes.to_vec(),
            };
            Envelope { from: from as u32, to: to as u32, sent }
        });
        EnvelopeBatch(envelopes.collect())
    }

    fn length_in_bytes(&self) -> usize {
        let bytes = |envelope: &Envelope| {
            let length = envelope.sent.bytes.len();
            8 * HEAD + length + padding(length)
        };
        8 + self.0.iter().map(bytes).sum::<usize>()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let mut write = |bytes: &[u8]| {
            writer.write_all(bytes).expect("timely dataflow gives as much room as was asked for");
        };
        write(&(self.0.len() as u64).to_le_bytes());
        for Envelope { from, to, sent } in &self.0 {
            let SentBlock { block, states, checksum, bytes } = sent;
            for number in [*from, *to, *block, *states, *checksum] {
                write(&u64::from(number).to_le_bytes());
            }
            write(&(bytes.len() as u64).to_le_bytes());
        }
        for Envelope { sent, .. } in &self.0 {
            write(&sent.bytes);
            write(&[0; 8][..padding(sent.bytes.len())]);
        }
    }
}

/// Timely dataflow wants lengths that are multiples of 8.
fn padding(length: usize) -> usize {
    length.next_multiple_of(8) - length
}

/// Sends each envelope to the process that it is for.
pub(crate) struct ByRecipient;

impl Distributor<EnvelopeBatch> for ByRecipient {
    fn partition<T: Clone, P: Push<Message<T, EnvelopeBatch>>>(
        &mut self,
        container: &mut EnvelopeBatch,
        time: &T,
        pushers: &mut [P],
    ) {
        for envelope in container.0.drain(..) {
            let to = envelope.to as usize;
            Message::push_at(&mut EnvelopeBatch(vec![envelope]), time.clone(), &mut pushers[to]);
        }
    }

    fn flush<T: Clone, P: Push<Message<T, EnvelopeBatch>>>(
        &mut self,
        _time: &T,
        _pushers: &mut [P],
    ) {
    }
}

#[cfg(test)]
mod tests {
    use timely::bytes::arc::BytesMut;

    use super::*;

    #[test]
    fn envelopes_arrive_as_they_were_sent() {
        let envelope = |number: u32, length: usize| Envelope {
            from: number,
            to: number + 1,
            sent: SentBlock {
                block: number + 2,
                states: u32::MAX - number,
                checksum: number << 7,
                bytes: (0..length).map(|byte| (byte * 31) as u8).collect(),
            },
        };
        for envelopes in
            [vec![], vec![envelope(3, 0)], vec![envelope(0, 7), envelope(9, 4096), envelope(1, 1)]]
        {
            let sent = EnvelopeBatch(envelopes);
            let mut bytes = Vec::new();
            sent.into_bytes(&mut bytes);
            assert_eq!(bytes.len(), sent.length_in_bytes());
            let received = EnvelopeBatch::from_bytes(BytesMut::from(bytes).freeze());
            assert_eq!(format!("{received:?}"), format!("{sent:?}"));
        }
    }
}
