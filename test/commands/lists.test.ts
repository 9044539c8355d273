import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { aDay, type Cli, synced } from './support/cli.ts'
import { parseCsv } from './support/csv.ts'

/** A world in which every list has rows. */
async function busy(): Promise<Cli> {
  const world = await synced({ finished: afterAll, simulator: { sizes: { users: 24, documents: 12 } } })
  const { primary } = world.simulator
  const [first, second] = [...primary.users.all()].map(({ userId }) => userId)
  primary.users.update(first ?? 0, { firstName: 'Else', mfaStatus: false })
  primary.users.update(second ?? 0, { raw: { mfaStatus: 'true' } })
  primary['authentication-settings'].update(0, { mfaEnabled: false })
  primary.documents.removeWhere(0.6)
  for (let day = 0; day < 2; day++) {
    world.pass(aDay)
    await world.run('sync', '--full')
  }
  return world
}

const world = await busy()

const lists = [
  'findings',
  'findings --all --details',
  'findings --group check',
  'findings --group entity',
  'history',
  'expiring --days 400',
  'export users',
  'export roles',
  'accept',
  'checks',
  'doctor',
  'doctor --quarantine',
].map((line) => line.split(' '))

it('gives every list the same forms, --limit and --output', async () => {
  for (const args of lists) {
    const named = args.join(' ')
    const printed = await world.run(...args, '--format', 'json')
    const rows: readonly object[] = JSON.parse(printed.stdout)
    const { code, stdout: lines } = await world.run(...args, '--format', 'ndjson')
    expect([named, code, rows.length > 0]).toEqual([named, printed.code, true])
    const ofLines = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    if (named !== 'doctor') expect([named, ofLines]).toEqual([named, rows])
    const [heading = [], ...cells] = parseCsv((await world.run(...args, '--format', 'csv')).stdout)
    expect([named, cells.length]).toEqual([named, rows.length])
    for (const row of cells) expect([named, row.length]).toEqual([named, heading.length])
    const table = (await world.run(...args, '--format', 'table')).stdout.trimEnd().split('\n')
    expect([named, table.length]).toEqual([named, rows.length + 1])
    const limited = await world.run(...args, '--limit', '1', '--format', 'csv')
    expect([named, limited.stdout.trimEnd().split('\r\n').length]).toEqual([named, 2])
    expect([named, limited.stderr.includes('--limit left out')]).toEqual([named, rows.length > 1])
    expect(await world.run(...args, '--format', 'csv', '--output', 'out.txt')).toMatchObject({ code, stdout: '' })
    const file = parseCsv(world.read('out.txt'))
    expect([named, file.length, file[0]]).toEqual([named, rows.length + 1, heading])
  }
  expect(statSync(join(world.folder, 'out.txt')).mode & 0o777).toBe(0o600)
})

it('writes CSV in the order in which a person reads it, evidence last', async () => {
  for (const args of lists) {
    const { stdout } = await world.run(...args, '--format', 'csv')
    expect(parseCsv(stdout)[0]?.join(' ')).toMatchSnapshot(`columns of ${args.join(' ')}`)
  }
})

const masked = (text: string) =>
  text
    .replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, 'GUID')
    .replaceAll(/(?<![\da-f-])[\da-f]{12}(?![\da-f-])/g, 'SHORT-DIGEST')
    .replaceAll(/\S*mirror\.db.*|.*GB free.*/g, '…')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')

/** What standard output shows on a terminal of so many columns. */
async function shown(columns: number, args: readonly string[], env: Cli['env'] = {}) {
  const texts: string[] = []
  const stdout = { isTTY: true, columns, write: (text: string) => texts.push(text) > 0 }
  await world.runWith({ stdout, env: { ...world.env, ...env } }, ...args)
  return texts.join('')
}

it.each([80, 120])('fits a terminal of %i columns', async (columns) => {
  for (const args of lists) {
    const text = await shown(columns, [...args, '--format', 'table'], { NO_COLOR: '1' })
    expect([args, text.split('\n').filter((line) => [...line].length > columns)]).toEqual([args, []])
    if (columns === 120) expect(masked(text.split('\n').slice(0, 9).join('\n'))).toMatchSnapshot(args.join(' '))
  }
})

it('colors the severity on a terminal unless it is asked not to', async () => {
  expect(await shown(80, ['findings'])).toContain('\u001b[1m\u001b[31mCRITICAL\u001b[39m\u001b[22m  ')
  expect(await shown(80, ['findings'], { NO_COLOR: '1' })).not.toContain('\u001b')
})
