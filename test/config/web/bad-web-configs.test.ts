import { createPrivateKey } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readWebSettings } from '../../../src/config/web-settings.ts'
import { selfSigned } from '../../support/certificate.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { expectedMistakes } from '../expected-mistakes.ts'

const source = join(import.meta.dirname, '../../bad-web-configs')
const names = readdirSync(source)
const cases = names.filter((name) => name.endsWith('.yaml'))
/** Placed where hashes, passwords and keys belong; in the alphabet of bcrypt without its hyphen. */
const canary = /s3cr3t-?canary/

/** The configurations beside a certificate with its key, that of another, one under a passphrase, and a folder. */
function folderOfAll(): string {
  const folder = temporaryFolder()
  cpSync(source, folder, { recursive: true })
  const { cert, key } = selfSigned('127.0.0.1')
  const locked = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
  const files = {
    'server.crt': cert,
    'server.key': key,
    'other.key': selfSigned('127.0.0.1').key,
    'locked.key': locked,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'folder'))
  return folder
}

const expected = expectedMistakes(new URL('../../bad-web-configs/', import.meta.url))

it('expects mistakes of every bad web configuration', () => {
  expect([...expected.keys()]).toEqual(cases)
})

it.each(cases)('reports exactly the mistakes of %s, each on its line', (name) => {
  const { mistakes } = readWebSettings(name, folderOfAll())
  expect(mistakes.map(({ line, code, key }) => `${line} ${code} ${key}`)).toEqual(expected.get(name))
  expect(mistakes.map(({ sentence }) => sentence).join('\n')).not.toMatch(canary)
})
