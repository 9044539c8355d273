import { statSync } from 'node:fs'

export interface StoreSize {
  readonly bytes: number
  /** Size of the write-ahead log. */
  readonly walBytes: number
}

/** Sizes of the files of a database; what is not there is 0. */
export function storeSize(path: string): StoreSize {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  return { bytes: sizeOf(path), walBytes: sizeOf(`${path}-wal`) }
}
