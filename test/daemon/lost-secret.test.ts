import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { TenantSettings } from '../../src/config/settings.ts'
import { hasLostSecret } from '../../src/daemon/lost-secret.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('notices that the file of a token or of a client secret is away, until it is back', async () => {
  const file = join(temporaryFolder(), 'token')
  const token = { file }
  const oauth2 = { tokenUrl: 'https://login.example.com/token', clientId: 'x', clientSecret: { file }, scope: null }
  const all = [{ token }, { token: { oauth2 } }, { token: { env: 'TOKEN' } }] as unknown as TenantSettings['auth'][]
  const lost = () => Promise.all(all.map((auth) => hasLostSecret({ auth })))
  expect(await lost()).toEqual([true, true, false])
  writeFileSync(file, 'x')
  expect(await lost()).toEqual([false, false, false])
  rmSync(file)
  expect(await lost()).toEqual([true, true, false])
})
