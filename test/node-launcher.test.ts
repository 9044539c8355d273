import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './support/temporary.ts'

/** A folder with a `node` that does this. */
function folderWith(script: string): string {
  const folder = temporaryFolder()
  const node = join(folder, 'node')
  writeFileSync(node, `#!/bin/sh\n${script}\n`)
  chmodSync(node, 0o755)
  return folder
}

const withoutLibrary = () =>
  folderWith('echo "node: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127')
const old = () => folderWith('echo v20.20.2')

function good(): string {
  const folder = join(temporaryFolder(), 'with space')
  mkdirSync(folder)
  symlinkSync(process.execPath, join(folder, 'node'))
  return folder
}

function launch(...path: readonly string[]) {
  const { root } = installed()
  return run('/bin/sh', [join(root, 'tools/node.sh'), '-p', '"it runs"'], path)
}

function run(file: string, args: readonly string[], path: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', env: { PATH: path.join(':') } })
  return { status, stdout, stderr }
}

/** The files of the package as npm installs them, with a program that prints its arguments. */
function installed() {
  const modules = join(temporaryFolder(), 'node_modules')
  const root = join(modules, 'tenantwatch')
  for (const name of ['bin', 'tools', 'dist']) mkdirSync(join(root, name), { recursive: true })
  for (const file of ['bin/tenantwatch', 'tools/node.sh']) copyFileSync(file, join(root, file))
  writeFileSync(
    join(root, 'dist/tenantwatch.js'),
    'console.log(JSON.stringify(process.argv.slice(2)), process.execArgv)',
  )
  const links = join(modules, '.bin')
  mkdirSync(links)
  symlinkSync('../tenantwatch/bin/tenantwatch', join(links, 'tenantwatch'))
  const tools = temporaryFolder()
  symlinkSync('/usr/bin/readlink', join(tools, 'readlink'))
  const program = (...path: readonly string[]) => run(join(links, 'tenantwatch'), ['explain', 'a b'], [...path, tools])
  return { root, links, program }
}

it('runs the first Node that starts and is new enough', () => {
  expect(launch(withoutLibrary(), old(), '/nowhere', good())).toEqual({ status: 0, stdout: 'it runs\n', stderr: '' })
})

const ran = { status: 0, stdout: `["explain","a b"] [ '--max-semi-space-size=4' ]\n`, stderr: '' }

it('starts the installed command on the Node of the system where the one of npm does not start', () => {
  const { links, program } = installed()
  symlinkSync(join(withoutLibrary(), 'node'), join(links, 'node'))
  expect(program(links, old(), good())).toEqual(ran)
  expect(program(links, old())).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('apt-get install libatomic1'),
  })
  // Called by its path, not by npx: the folder of npm is not on the PATH.
  expect(program(old())).toMatchObject({ status: 2, stderr: expect.stringContaining('apt-get install libatomic1') })
})

it('says in a clone that it has to be built first, which is no finding', () => {
  const { root, program } = installed()
  rmSync(join(root, 'dist'), { recursive: true })
  const notBuilt = (commands: string) => ({
    status: 3,
    stdout: '',
    stderr: `tenantwatch: the program is not built; run "${commands}" in ${realpathSync(root)}\n`,
  })
  expect(program(good())).toEqual(notBuilt('npm ci && npm run build'))
  mkdirSync(join(root, 'node_modules'))
  expect(program(good())).toEqual(notBuilt('npm run build'))
})

it('is what the package installs, with the parts that it needs', () => {
  const { bin, files } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: object; files: readonly string[] }
  expect(bin).toEqual({ tenantwatch: 'bin/tenantwatch' })
  expect(files).toEqual(expect.arrayContaining(['bin', 'dist', 'tools/node.sh']))
})

it('says what to do where no Node can be used', () => {
  expect(launch(withoutLibrary(), old())).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'tenantwatch: the Node that npm installed cannot start without libatomic: apt-get install libatomic1, or put Node 24 or newer on the PATH\n',
  })
  expect(launch(old()).stderr).toBe('tenantwatch: put Node 24 or newer on the PATH\n')
  const clone = temporaryFolder()
  mkdirSync(join(clone, 'tools'))
  copyFileSync('tools/node.sh', join(clone, 'tools/node.sh'))
  expect(run('/bin/sh', [join(clone, 'tools/node.sh')], [old()]).stderr).toBe(
    'tenantwatch: run "npm ci", which installs a Node, or put Node 24 or newer on the PATH\n',
  )
})
