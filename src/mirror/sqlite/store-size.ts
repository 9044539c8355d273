import { statSync } from 'node:fs'
import { realFile } from './real-file.ts'

export interface StoreSize {
  readonly bytes: number
  /** Size of the write-ahead log. */
  readonly walBytes: number
}

/** Sizes of the files of a database; what is not there is 0. */
export function storeSize(path: string): StoreSize {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const real = realFile(path)
  return { bytes: sizeOf(real), walBytes: sizeOf(`${real}-wal`) }
}
