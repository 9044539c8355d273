import { statSync } from 'node:fs'
import { realFile } from './real-file.ts'

export interface StoreSize {
  readonly bytes: number
  readonly walBytes: number
}

/** 0 for a file that does not exist. */
export function storeSize(path: string): StoreSize {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const real = realFile(path)
  return { bytes: sizeOf(real), walBytes: sizeOf(`${real}-wal`) }
}
