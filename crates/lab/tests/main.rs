//! Instances, records, experiments and reports, a module for each file. `cargo xtask test` runs
//! each as a process of its own.

mod census_records;
mod census_sample;
mod classification;
mod experiments;
mod found;
mod instances;
mod known_lengths;
mod local_experiments;
mod own_experiments;
mod report;
mod reruns;
mod table_2;
