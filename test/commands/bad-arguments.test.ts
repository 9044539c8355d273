import { expect, it } from 'vitest'
import { synced } from './support/cli.ts'

/** Any text that a command cannot use may be a secret, and messages end in logs. */
const secret = 'CANARY-4f7d1c9be02a6d53'

/** A command line each; every one ends with 2, prints nothing on standard output and repeats no secret. */
const bad = `
frobnicate
help-me
sync users
sync --bogus
sync --full=yes
sync --tenant
sync --tenant acne
sync --resource people
sync --fail-on severe
config verify
backup
backup a b
demo --users -1
simulate --port http
simulate --reading SECRET=1
notify
notify --test SECRET
rules --job SECRET"
rules --runbooks ftp://SECRET
dashboards postur
dashboards --output /dev/null
rules --grafana SECRET
rules --format xml
dashboards SECRET
verify --head SECRET
verify --tenant SECRET
report --format md
report --as-of SECRET
report --as-of 2030-01-01
report --as-of 2026-02-01
report --tenant SECRET
findings --format xml
findings --limit 0
findings --limit few
findings --check user-mfa-enroled
findings --check SECRET
findings --tenant acne
findings --severity severe
findings --severity critical,severe
findings --min-severity SECRET
findings --severity high --min-severity low
findings --fail-on awful
findings --since yesterday
findings --since 2027-01-01
findings --group severity
findings --group check --details
findings --group check --format ocsf
expiring --days -1
expiring --days soon
expiring --days 1e3
expiring --tenant x
export
export people
export users --format xml
export users --tenant SECRET
checks --format xml
checks --tenant acme
history --entity secret:1
history --entity users:99999
history --entity users:
history --entity users:1 --resource roles
history --entity authentication-settings:secret
history --since SECRET
history --since 2030-01-01
history --since 1h --until 2h
history --until 2026-02-27
history --tenant SECRET
accept --reason because-it-is
accept --count 3
accept --list
accept abc --list
accept abc --list --reason because
accept abc --count abc --reason because-it-is
accept SECRET --reason because-it-is
explain
explain SECRET
explain user-mfa-enrolled
waive
waive SECRET
doctor --details
doctor --tenant globes
doctor --format yaml
migrate-store
purge
purge acme
purge SECRET
SECRET
sync SECRET
sync --full -- SECRET
sync --token SECRET
sync --token=SECRET
sync -SECRET
sync --SECRET
sync --full=SECRET
sync -hSECRET
sync --resource SECRET
simulate --port SECRET
config SECRET
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
