import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { expect, it } from 'vitest'
import { fullSyncScene } from './support/full-sync-scene.ts'
import { look } from './support/look.ts'
import { unlike } from './support/oracle.ts'
import { problemsOf } from './support/points.ts'

const flips = Number(process.env['TENANTWATCH_BIT_FLIPS'] ?? 100)

/** Bits spread evenly over the file, at odd places. */
const bits = (bytes: number) => Array.from({ length: flips }, (_, i) => Math.floor(((i + 0.37) / flips) * bytes * 8))

function flip(file: string, bit: number): void {
  const fd = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  const at = Math.floor(bit / 8)
  readSync(fd, byte, 0, 1, at)
  byte.writeUInt8(byte.readUInt8(0) ^ (1 << (bit % 8)))
  writeSync(fd, byte, 0, 1, at)
  closeSync(fd)
}

const isLive = (line: string) => line.startsWith('users') && !line.includes('"removed":1')

it(`refuses a database with one of ${flips} bits flipped, or continues with its content; never with a stack`, async () => {
  const scene = await fullSyncScene()
  const size = await scene.withCopy(async ({ store }) => statSync(store).size)
  const seen = { refused: 0, equal: 0, differs: 0 }
  const problems = await problemsOf(bits(size), (bit) =>
    scene.withCopy(async ({ store, full }) => {
      flip(store, bit)
      const { code, stderr, stdout } = await full()
      const output = stderr + stdout
      if (/\n\s+at |unexpected error/.test(output)) return [`printed ${output.slice(0, 300)}`]
      if (code === 0) {
        const after = look(store)
        // A flipped letter in a history, an evidence or a tombstone cannot be noticed; live records are made good by the full sync.
        const differences = unlike(after, scene.after)
        seen[differences.length === 0 ? 'equal' : 'differs']++
        return differences.filter((line) => isLive(line) || after.broken.includes(line))
      }
      seen.refused++
      const clear = /damaged|another program|newer tenantwatch|cannot be opened|SQLITE_|gone or empty/.test(output)
      return code === 3 && clear ? [] : [`ended with ${code}: ${output.slice(0, 300)}`]
    }),
  )
  console.info(`${flips} bits flipped`, seen)
  expect(problems).toEqual([])
})
