import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
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
const old = () => folderWith('echo 20')

function good(): string {
  const folder = join(temporaryFolder(), 'with space')
  mkdirSync(folder)
  symlinkSync(process.execPath, join(folder, 'node'))
  return folder
}

function launch(...path: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['tools/node.sh', '-p', '"it runs"'], {
    encoding: 'utf8',
    env: { PATH: path.join(':') },
  })
  return { status, stdout, stderr }
}

it('runs the first Node that starts and is new enough', () => {
  expect(launch(withoutLibrary(), old(), '/nowhere', good())).toEqual({ status: 0, stdout: 'it runs\n', stderr: '' })
})

it('says what to do where no Node can be used', () => {
  expect(launch(withoutLibrary(), old())).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'tenantwatch: the Node that npm installed cannot start without libatomic: apt-get install libatomic1, or put Node 24 or newer on the PATH\n',
  })
  expect(launch(old()).stderr).toBe('tenantwatch: put Node 24 or newer on the PATH\n')
})
