import { globSync, readFileSync } from 'node:fs'

const { LINES: count = 300, SEED: seed = 1, FOLDER: folder = '' } = process.env

/** Not mutated: tables of the database, and what needs a PostgreSQL. */
const without = /^src\/store\/(?:schema|postgres|db\/postgres)\/|lease/
/** Lines with a condition, a comparison, arithmetic, a function, a boolean or a method that Stryker replaces. */
const mutable =
  /\b(?:if|while|for) \(|&&|\|\||\?|![\w(]|[!=]==|=>|\s[<>+*/%-]=? |\b(?:true|false)\b|\.(?:some|every|filter|sort|slice|min|max|trim)\(/
/** Lines that have these signs as comments, imports or types. */
const other =
  /^\s*(?:\/?\*|\/\/|import\b|export (?:type|interface)|type\b|readonly \w+\??:|\w+\??: [\w |]+$|\w+\(.*\): Promise)/

/** Lines of code, each as likely as another, and the same ones for a seed: the first n of a longer sample. */
function drawLines() {
  const files = globSync('src/{sync,evaluate,store}/**/*.ts').filter((file) => !without.test(file))
  const lines = files.toSorted().flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => (mutable.test(line) && !other.test(line) ? [`${file}:${at + 1}-${at + 1}`] : [])),
  )
  const drawn = []
  // The generator of Park and Miller.
  for (let state = Number(seed); drawn.length < Number(count) && lines.length > 0; ) {
    state = (state * 48_271) % 2_147_483_647
    drawn.push(...lines.splice(state % lines.length, 1))
  }
  return drawn
}

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: drawLines().filter((line) => line.startsWith(`src/${folder}`)),
  // Sentences are not what tests assert, and a mutant of a constant costs a run of all tests.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: true,
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  concurrency: 1,
  tsconfigFile: 'none',
  ignorePatterns: ['deploy', 'docs', 'dist'],
  reporters: ['clear-text', 'progress-append-only', 'json'],
}
