// SPDX-License-Identifier: MIT
//! The trees of tasks.c (../) with Rayon: fib by `join`, skynet by a scope of
//! ten. It has no channels, so the ring and ping-pong are not here.
//!
//!     rayon WORKLOAD WORKERS SIZE

use std::process::exit;
use std::time::Instant;

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn skynet(number: u64, size: u64) -> u64 {
    if size == 1 {
        return number;
    }
    let part = size / 10;
    let mut sums = [0; 10];
    rayon::scope(|scope| {
        for (i, sum) in sums.iter_mut().enumerate() {
            scope.spawn(move |_| *sum = skynet(number + i as u64 * part, part));
        }
    });
    sums.iter().sum()
}

fn fib_of(n: u64) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let workers: usize = args[2].parse().unwrap();
    let size: u64 = args[3].parse().unwrap();
    let (work, expected, tasks): (fn(u64) -> u64, u64, u64) = match &args[1][..] {
        "fib" => (fib, fib_of(size), 2 * fib_of(size + 1) - 1),
        "skynet" => (
            |size| skynet(0, size),
            size * (size - 1) / 2,
            size + (size - 1) / 9,
        ),
        _ => exit(2),
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(workers)
        .build()
        .unwrap();
    let mut ns = 0;
    for _ in 0..2 {
        ns = pool.install(|| {
            let began = Instant::now();
            let sum = work(size);
            let took = began.elapsed().as_nanos();
            if sum != expected {
                eprintln!("rayon: {} gave {}, not {}", args[1], sum, expected);
                exit(1);
            }
            took
        });
    }
    println!("value {}.{} {:.2}", args[1], workers, ns as f64 / tasks as f64);
}
