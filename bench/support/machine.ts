import { cpus, loadavg, totalmem } from 'node:os'

/** Where figures come from; the load at the start says how far to trust times on the wall. */
export function machine() {
  const [processor] = cpus()
  return {
    processor: processor?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    system: `${process.platform} ${process.arch}`,
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
  }
}
