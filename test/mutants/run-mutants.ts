import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { allMutants } from './all-mutants.ts'
import type { Mutant } from './mutants.ts'

/**
 * Runs the tests named by each deliberate mistake, in a copy of the project that has it; every one must turn them red.
 * Words choose the mutants whose name has them. `--jobs N` tries so many at once; `--check` only looks whether the
 * source still has each place.
 */
const root = resolve(import.meta.dirname, '../..')
const copied = readdirSync(root).filter((name) => !['.git', 'node_modules', 'dist'].includes(name))
const { values: options, positionals: words } = parseArgs({
  options: { check: { type: 'boolean', default: false }, jobs: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const wanted = words.join(' ')
const survivors: string[] = []
const chosen = allMutants.filter(({ name }) => name.includes(wanted))
const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => join('test', path))
  .filter((path) => path.endsWith('.test.ts'))
const lost = chosen.filter((mutant) => problemOf(mutant) !== null)
for (const mutant of lost) process.stdout.write(`LOST      ${mutant.name}: ${problemOf(mutant)}\n`)
const untried = options.check ? [] : chosen.filter((one) => !lost.includes(one))
// A test that is red without a mistake would count each one as caught.
if (untried.length > 0) {
  const tests = [...new Set(untried.flatMap((mutant) => mutant.tests))]
  if ((await inCopy((folder) => suite(tests, folder))) !== 0) {
    process.stdout.write(`The unchanged copy fails its tests: ${tests.join(' ')}\n`)
    process.exit(1)
  }
}
await Promise.all(Array.from({ length: Number(options.jobs) }, () => inCopy(tryMutants)))
const failed = survivors.length + lost.length
process.stdout.write(`${chosen.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1

async function inCopy<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-mutants-'))
  try {
    for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true })
    mkdirSync(join(folder, 'dist'))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Takes one mutant after the other from those not yet tried. */
async function tryMutants(folder: string): Promise<void> {
  for (let mutant = untried.shift(); mutant !== undefined; mutant = untried.shift()) {
    const caught = await isCaught(mutant, folder)
    if (!caught) survivors.push(mutant.name)
    process.stdout.write(`${caught ? 'caught  ' : 'SURVIVED'}  ${mutant.name}\n`)
  }
}

async function isCaught({ file, find, replace, tests }: Mutant, folder: string): Promise<boolean> {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  try {
    return (await suite(tests, folder)) !== 0
  } finally {
    writeFileSync(path, source)
  }
}

/** Exit code of the suite; the first failure ends it. */
function suite(tests: readonly string[], folder: string): Promise<number | null> {
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--config', 'vitest.config.ts', '--bail', '1', '--passWithNoTests=false', ...tests]
  // Some mistakes show in one life of a hundred.
  const env = { ...process.env, SIMULATED_LIVES: '150', TESTS: 'all' }
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore', env })
  return new Promise((done) => child.on('exit', done))
}

/** Why a mistake cannot be made any more; null when it can. A path without tests would turn red without a cause. */
function problemOf({ file, find, tests }: Mutant): string | null {
  if (!existsSync(join(root, file))) return `${file} does not exist`
  if (readFileSync(join(root, file), 'utf8').split(find).length !== 2)
    return `its text does not occur exactly once in ${file}`
  const empty = tests.find((path) => !testFiles.some((one) => one.includes(path)))
  return empty === undefined ? null : `no test matches ${empty}`
}
