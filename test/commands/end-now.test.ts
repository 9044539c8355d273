import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'

it('ends a process although a read of it hangs, with its exit code and after its listeners', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const script = `
    import { readFile } from 'node:fs/promises'
    import { endNow } from ${JSON.stringify(new URL('../../src/commands/start.ts', import.meta.url).href)}
    process.once('exit', () => console.log('listener'))
    readFile(${JSON.stringify(pipe)})
    setTimeout(() => endNow(3), 100)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  let written = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text) => {
      written += text
    })
  const [code] = await once(child, 'close')
  expect([code, written]).toEqual([3, 'listener\n'])
})
