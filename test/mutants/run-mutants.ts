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
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { allMutants } from './all-mutants.ts'
import type { Mutant } from './mutants.ts'

/**
 * Runs the tests named by each deliberate mistake, in a copy of the project that has it; every one must turn them red,
 * and the test that did is printed: one that timed out on a busy machine has noticed nothing.
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
  const failure = await inCopy((folder) => firstFailure(tests, folder))
  if (failure !== null) {
    process.stdout.write(`The unchanged copy fails its tests: ${failure}\n`)
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
    const failure = await failureWith(mutant, folder)
    if (failure === null) survivors.push(mutant.name)
    process.stdout.write(failure === null ? `SURVIVED  ${mutant.name}\n` : `caught    ${mutant.name}: ${failure}\n`)
  }
}

async function failureWith({ file, find, replace, tests }: Mutant, folder: string): Promise<string | null> {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  try {
    return await firstFailure(tests, folder)
  } finally {
    writeFileSync(path, source)
  }
}

interface Results {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

/** The first test that fails, which ends the run, and the first line of its message; null when all pass. */
async function firstFailure(tests: readonly string[], folder: string): Promise<string | null> {
  const report = join(folder, 'results.json')
  rmSync(report, { force: true })
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--config', 'vitest.config.ts', '--bail', '1', '--passWithNoTests=false']
  // Some mistakes show in one life of a hundred.
  const env = { ...process.env, SIMULATED_LIVES: '150', TESTS: 'all' }
  const output = ['--reporter=json', `--outputFile=${report}`]
  const child = spawn(process.execPath, [...args, ...output, ...tests], { cwd: folder, stdio: 'ignore', env })
  const code = await new Promise<number | null>((done) => child.on('exit', done))
  if (code === 0) return null
  if (!existsSync(report)) return `the tests ended with ${code}`
  const { testResults }: Results = JSON.parse(readFileSync(report, 'utf8'))
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    const text = failed?.failureMessages[0] ?? message
    if (failed !== undefined || message !== '') {
      return `${relative(folder, name)} > ${failed?.fullName ?? 'file'}: ${text.split('\n')[0]}`
    }
  }
  return `the tests ended with ${code}`
}

/** Why a mistake cannot be made any more; null when it can. A path without tests would turn red without a cause. */
function problemOf({ file, find, tests }: Mutant): string | null {
  if (!existsSync(join(root, file))) return `${file} does not exist`
  if (readFileSync(join(root, file), 'utf8').split(find).length !== 2)
    return `its text does not occur exactly once in ${file}`
  const empty = tests.find((path) => !testFiles.some((one) => one.includes(path)))
  return empty === undefined ? null : `no test matches ${empty}`
}
