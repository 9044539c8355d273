import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { guardedStream } from '../../../src/store/postgres/guarded-stream.ts'

it('is destroyed by what its reader throws, and ends nothing else', async () => {
  const stream = guardedStream(new PassThrough())
  const read: string[] = []
  stream.on('data', (bytes: Buffer) => {
    if (bytes.length > 3) throw new RangeError('too long')
    read.push(String(bytes))
  })
  stream.write('abc')
  const failed = once(stream, 'error')
  stream.write('abcd')
  const [error] = await failed
  expect(error).toMatchObject({ message: 'Invalid protocol message from the server', code: '08P01' })
  expect([read, stream.destroyed]).toEqual([['abc'], true])
})
