import { createPrivateKey } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readWebSettings } from '../../../src/config/web/load-web-settings.ts'
import { selfSigned } from '../../support/certificate.ts'
import { temporaryFolder } from '../../support/temporary.ts'

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

it('keeps the expected sentences beside every bad web configuration', () => {
  expect(names.filter((name) => name.endsWith('.txt'))).toEqual(cases.map((name) => name.replace('.yaml', '.txt')))
})

it.each(cases)('reports exactly the problems of %s', (name) => {
  const { problems } = readWebSettings(name, folderOfAll())
  expect(problems.join('\n')).not.toMatch(canary)
  expect(`${problems.join('\n')}\n`).toBe(readFileSync(join(source, name.replace('.yaml', '.txt')), 'utf8'))
})
