import { syncBuiltinESMExports } from 'node:module'
import zlib, { deflateRawSync, type InputType } from 'node:zlib'

type Done = (error: Error | null, compressed: Buffer) => void

/**
 * Compression in another thread ends at a moment that no seed decides; here it ends in a later turn of the event loop.
 */
function deflateRaw(data: InputType, done: Done): void {
  setImmediate(() => done(null, deflateRawSync(data)))
}

Object.assign(zlib, { deflateRaw })
syncBuiltinESMExports()
