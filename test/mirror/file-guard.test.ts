import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fileGuard } from '../../src/mirror/sqlite/file-guard.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('ends no engine because the file cannot be looked at just now', async () => {
  const path = join(temporaryFolder(), 'mirror.db')
  // Opening a socket as a file fails, as opening any file does once a process has too many.
  const server = createServer().listen(path)
  await once(server, 'listening')
  try {
    expect(() => fileGuard(path).insist()).toThrow(
      expect.objectContaining({ reason: 'store', message: 'The database could not be looked at (ENXIO)' }),
    )
  } finally {
    server.close()
  }
})
