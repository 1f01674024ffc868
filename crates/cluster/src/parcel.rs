//! How blocks travel between processes.

use std::io::Write;

use hyperslide_table::Packet;
use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// Something for another process.
#[derive(Clone, Debug)]
pub(crate) struct Parcel {
    pub from: u32,
    pub to: u32,
    pub packet: Packet,
}

/// What timely dataflow moves: parcels, each a record. Its own encoding copies the bytes of a block
/// once and in one piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parcels(pub Vec<Parcel>);

/// Numbers before the bytes of a parcel, of 8 bytes each.
const HEAD: usize = 6;

impl Accountable for Parcels {
    fn record_count(&self) -> i64 {
        self.0.len() as i64
    }
}

impl ContainerBytes for Parcels {
    fn from_bytes(bytes: Bytes) -> Parcels {
        let mut rest = &bytes[..];
        let mut number = || {
            let (first, others) = rest.split_at(8);
            rest = others;
            u64::from_le_bytes(first.try_into().unwrap_or_default())
        };
        let count = number() as usize;
        let heads: Vec<[u64; HEAD]> =
            (0..count).map(|_| std::array::from_fn(|_| number())).collect();
        let parcels = heads.into_iter().map(|[from, to, block, states, checksum, length]| {
            let (bytes, others) = rest.split_at(length as usize);
            rest = &others[padding(length as usize)..];
            let packet = Packet {
                block: block as u32,
                states: states as u32,
                checksum: checksum as u32,
                bytes: bytes.to_vec(),
            };
            Parcel { from: from as u32, to: to as u32, packet }
        });
        Parcels(parcels.collect())
    }

    fn length_in_bytes(&self) -> usize {
        let bytes = |parcel: &Parcel| {
            let length = parcel.packet.bytes.len();
            8 * HEAD + length + padding(length)
        };
        8 + self.0.iter().map(bytes).sum::<usize>()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let mut write = |bytes: &[u8]| {
            writer.write_all(bytes).expect("timely dataflow gives as much room as was asked for");
        };
        write(&(self.0.len() as u64).to_le_bytes());
        for Parcel { from, to, packet } in &self.0 {
            let Packet { block, states, checksum, bytes } = packet;
            for number in [*from, *to, *block, *states, *checksum] {
                write(&u64::from(number).to_le_bytes());
            }
            write(&(bytes.len() as u64).to_le_bytes());
        }
        for Parcel { packet, .. } in &self.0 {
            write(&packet.bytes);
            write(&[0; 8][..padding(packet.bytes.len())]);
        }
    }
}

/// Timely dataflow wants lengths that are multiples of 8.
fn padding(length: usize) -> usize {
    length.next_multiple_of(8) - length
}

/// Sends each parcel to the process that it is for.
pub(crate) struct Postman;

impl Distributor<Parcels> for Postman {
    fn partition<T: Clone, P: Push<Message<T, Parcels>>>(
        &mut self,
        container: &mut Parcels,
        time: &T,
        pushers: &mut [P],
    ) {
        for parcel in container.0.drain(..) {
            let to = parcel.to as usize;
            Message::push_at(&mut Parcels(vec![parcel]), time.clone(), &mut pushers[to]);
        }
    }

    fn flush<T: Clone, P: Push<Message<T, Parcels>>>(&mut self, _time: &T, _pushers: &mut [P]) {}
}

#[cfg(test)]
mod tests {
    use timely::bytes::arc::BytesMut;

    use super::*;

    #[test]
    fn parcels_arrive_as_they_were_sent() {
        let parcel = |number: u32, length: usize| Parcel {
            from: number,
            to: number + 1,
            packet: Packet {
                block: number + 2,
                states: u32::MAX - number,
                checksum: number << 7,
                bytes: (0..length).map(|byte| (byte * 31) as u8).collect(),
            },
        };
        for parcels in
            [vec![], vec![parcel(3, 0)], vec![parcel(0, 7), parcel(9, 4096), parcel(1, 1)]]
        {
            let sent = Parcels(parcels);
            let mut bytes = Vec::new();
            sent.into_bytes(&mut bytes);
            assert_eq!(bytes.len(), sent.length_in_bytes());
            let received = Parcels::from_bytes(BytesMut::from(bytes).freeze());
            assert_eq!(format!("{received:?}"), format!("{sent:?}"));
        }
    }
}
