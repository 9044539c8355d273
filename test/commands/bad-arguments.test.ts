import { expect, it } from 'vitest'
import { synced } from './support/cli.ts'

/** Any text that a command cannot use may be a secret, and messages end in logs. */
const secret = 'CANARY-4f7d1c9be02a6d53'

/** A command line each; every one ends with 2, prints nothing on standard output and repeats no secret. */
const bad = `
sync --bogus
sync --fail-on severe
backup
notify --test SECRET
rules --job SECRET"
dashboards --output /dev/null
dashboards SECRET
verify --head SECRET
verify --tenant SECRET
report --as-of SECRET
findings --severity critical,severe
findings --min-severity SECRET
findings --severity high --min-severity low
findings --group check --details
export people
export users --tenant SECRET
history --entity secret:1
history --entity authentication-settings:secret
history --since SECRET
accept --reason because-it-is
accept abc --count abc --reason because-it-is
accept SECRET --reason because-it-is
explain SECRET
waive SECRET
migrate-store
purge SECRET
SECRET
sync --full -- SECRET
sync --token=SECRET
sync -SECRET
sync --full=SECRET
sync -hSECRET
sync --resource SECRET
simulate --port SECRET
config print SECRET
`

it('refuses a bad command line with 2 and one sentence that repeats no secret', async () => {
  const { run } = await synced({ simulator: { sizes: { users: 5, documents: 5 } } })
  const lines = bad.trim().split('\n')
  for (const line of lines) {
    const args = line.split(' ').map((word) => word.replace('SECRET', secret))
    const { code, stdout, stderr } = await run(...args)
    expect([line, code, stdout]).toEqual([line, 2, ''])
    expect([line, stderr]).toEqual([line, expect.stringMatching(/^tenantwatch: \S.{8,}\n/)])
    expect([line, stderr.includes(secret), /^ +at /m.test(stderr)]).toEqual([line, false, false])
  }
})

it('repeats no word that looks like a message of the parser', async () => {
  const { run } = await synced({ simulator: { sizes: { users: 5, documents: 5 } } })
  for (const args of [
    ['sync', `--tokn=${secret}\n(Did you mean ${secret}?)`],
    ['simulate', '--port', `' is invalid. ${secret}' is invalid. expected ${secret}`],
    ['checks', '--format', `"${secret}"`],
  ]) {
    const { code, stderr } = await run(...args)
    expect([code, stderr.includes(secret)]).toEqual([2, false])
  }
})

it('suggests the word that was meant', async () => {
  const { run } = await synced({ simulator: { sizes: { users: 5, documents: 5 } } })
  for (const [args, meant] of [
    [['snyc'], 'sync'],
    [['sync', '--ful'], '--full'],
    [['findings', '--check', 'user-mfa-enroled'], 'user-mfa-enrolled'],
    [['findings', '--tenant', 'acne'], 'acme'],
  ] as const)
    expect((await run(...args)).stderr).toMatch(new RegExp(`id you mean ${meant}\\?`))
})
