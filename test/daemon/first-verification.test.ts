import { expect, it } from 'vitest'
import { firstVerification } from '../../src/daemon/first-verification.ts'
import { FatalError, SyncError } from '../../src/model/errors.ts'

const { signal } = new AbortController()

it('reads the mirror once for all that wait, again after a failure of the server, and never after it was read', async () => {
  const reads: ((error?: Error) => void)[] = []
  let isVerified = false
  const verify = async () => {
    const { promise, resolve } = Promise.withResolvers<Error | undefined>()
    reads.push(resolve)
    const error = await promise
    if (error !== undefined) throw error
    isVerified = true
  }
  const sound = firstVerification({ isVerified: () => isVerified, verify }, signal)
  const waiting = Promise.allSettled([sound(), sound()])
  reads[0]?.(new SyncError('store', 'The server is away'))
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const again = sound()
  reads[1]?.()
  await again
  await sound()
  expect(reads).toHaveLength(2)
})

it('does not read a damaged mirror again', async () => {
  let reads = 0
  const verify = async () => {
    reads++
    throw new FatalError('The file is damaged')
  }
  const sound = firstVerification({ isVerified: () => false, verify }, signal)
  for (let n = 0; n < 2; n++) await expect(sound()).rejects.toThrow('The file is damaged')
  expect(reads).toBe(1)
})
