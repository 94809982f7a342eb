// SPDX-License-Identifier: MIT
//! The programs of tasks.c (../) with Tokio's runtime of several threads. Its
//! channels have room for one value at least, so that is what they have here.
//!
//!     tokio WORKLOAD WORKERS SIZE

use std::future::Future;
use std::pin::Pin;
use std::process::exit;
use std::time::Instant;
use tokio::sync::mpsc::{channel, Receiver, Sender};

const RING: u64 = 503;

/// What a recursive task is: only a pointer to it has a known size.
type Sum = Pin<Box<dyn Future<Output = u64> + Send>>;

fn fib(n: u64) -> Sum {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let a = tokio::spawn(fib(n - 1));
        let b = tokio::spawn(fib(n - 2));
        a.await.unwrap() + b.await.unwrap()
    })
}

fn skynet(number: u64, size: u64) -> Sum {
    Box::pin(async move {
        if size == 1 {
            return number;
        }
        let part = size / 10;
        let mut kids = Vec::with_capacity(10);
        for i in 0..10 {
            kids.push(tokio::spawn(skynet(number + i * part, part)));
        }
        let mut sum = 0;
        for kid in kids {
            sum += kid.await.unwrap();
        }
        sum
    })
}

async fn node(id: u64, mut from: Receiver<u64>, to: Sender<u64>, done: Sender<u64>) {
    while let Some(token) = from.recv().await {
        if token == 0 {
            done.send(id).await.unwrap();
        } else {
            to.send(token - 1).await.unwrap();
        }
    }
}

struct Ring {
    first: Sender<u64>,
    done: Receiver<u64>,
}

fn new_ring() -> Ring {
    let (tell, done) = channel(1);
    let (first, mut from) = channel(1);
    for id in 1..RING {
        let (to, next) = channel(1);
        tokio::spawn(node(id, from, to, tell.clone()));
        from = next;
    }
    tokio::spawn(node(RING, from, first.clone(), tell));
    Ring { first, done }
}

async fn go_round(ring: &mut Ring, hops: u64) -> u64 {
    ring.first.send(hops).await.unwrap();
    ring.done.recv().await.unwrap()
}

async fn pong(mut ping: Receiver<u64>, pong: Sender<u64>) {
    while let Some(value) = ping.recv().await {
        pong.send(value + 1).await.unwrap();
    }
}

async fn ping(to: &Sender<u64>, from: &mut Receiver<u64>, trips: u64) -> u64 {
    let mut value = 0;
    for _ in 0..trips {
        to.send(value).await.unwrap();
        value = from.recv().await.unwrap();
    }
    value
}

fn fib_of(n: u64) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

/// The nanoseconds of the second run.
async fn measure(workload: String, size: u64, expected: u64) -> u128 {
    let mut ring = new_ring();
    let (to, request) = channel(1);
    let (answer, mut from) = channel(1);
    tokio::spawn(pong(request, answer));
    let mut took = 0;
    for _ in 0..2 {
        let began = Instant::now();
        let result = match &workload[..] {
            "fib" => fib(size).await,
            "skynet" => skynet(0, size).await,
            "ring" => go_round(&mut ring, size).await,
            _ => ping(&to, &mut from, size).await,
        };
        took = began.elapsed().as_nanos();
        if result != expected {
            eprintln!("tokio: {} gave {}, not {}", workload, result, expected);
            exit(1);
        }
    }
    took
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let workers: usize = args[2].parse().unwrap();
    let size: u64 = args[3].parse().unwrap();
    let (expected, count) = match &args[1][..] {
        "fib" => (fib_of(size), 2 * fib_of(size + 1) - 1),
        "skynet" => (size * (size - 1) / 2, size + (size - 1) / 9),
        "ring" => (size % RING + 1, size),
        "pingpong" => (size, size),
        _ => exit(2),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .build()
        .unwrap();
    // block_on polls on the thread that calls it: the work is spawned
    let work = measure(args[1].clone(), size, expected);
    let ns = runtime
        .block_on(async { tokio::spawn(work).await })
        .unwrap();
    println!("value {}.{} {:.2}", args[1], workers, ns as f64 / count as f64);
}
