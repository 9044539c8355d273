import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { allMutants } from './all-mutants.ts'
import type { Mutant } from './mutants.ts'

/** Runs the suite against each deliberate mistake, in a copy of the project; every one must turn it red. */
const root = resolve(import.meta.dirname, '../..')
const copied = [
  'src',
  'test',
  'config',
  'drizzle',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'docs',
]
const wanted = process.argv.slice(2).join(' ')

const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-mutants-'))
const survivors: string[] = []
const chosen = allMutants.filter(({ name }) => name.includes(wanted))
try {
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const mutant of chosen) {
    const caught = await isCaught(mutant)
    if (!caught) survivors.push(mutant.name)
    process.stdout.write(`${caught ? 'caught  ' : 'SURVIVED'}  ${mutant.name}\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(`${chosen.length - survivors.length} passed, ${survivors.length} failed\n`)
process.exitCode = survivors.length === 0 ? 0 : 1

async function isCaught({ name, file, find, replace, tests }: Mutant): Promise<boolean> {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  const places = source.split(find).length - 1
  if (places !== 1) throw new Error(`Mutant "${name}": want its text once in ${file}, found it ${places} times`)
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  try {
    return (await suite(tests)) !== 0
  } finally {
    writeFileSync(path, source)
  }
}

/** Exit code of the suite; the first failure ends it. */
function suite(tests: readonly string[]): Promise<number | null> {
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--config', 'vitest.config.ts', '--bail', '1', '--passWithNoTests=false', ...tests]
  // Some mistakes show in one life of a hundred.
  const env = { ...process.env, SIMULATED_LIVES: '150' }
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore', env })
  return new Promise((done) => child.on('exit', done))
}
