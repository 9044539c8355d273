import type { Cli } from './cli.ts'

/** What standard output shows on a terminal of so many columns. */
export async function shown(world: Pick<Cli, 'env' | 'runWith'>, columns: number, ...args: readonly string[]) {
  const texts: string[] = []
  const stdout = { isTTY: true, columns, write: (text: string) => texts.push(text) > 0 }
  const { code, stderr } = await world.runWith({ stdout, env: { ...world.env, NO_COLOR: '1' } }, ...args)
  return { code, stderr, text: texts.join('') }
}

/** Lines that do not fit. */
export function wider(text: string, columns: number): readonly string[] {
  return text.split('\n').filter((line) => [...line].length > columns)
}
