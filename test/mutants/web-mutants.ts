import type { Mutant } from './mutants.ts'

export const webMutants: readonly Mutant[] = [
  {
    name: 'a check that does not exist has no findings',
    file: 'src/web/json-api.ts',
    find: 'check != null && !known.checks.includes(check)',
    replace: 'false',
    tests: ['test/web/findings-route.test.ts'],
  },
  {
    name: 'a parameter that a route does not take is ignored',
    file: 'src/web/app.ts',
    find: 'if (unknown !== undefined) return',
    replace: 'if (false) return',
    tests: ['test/web/findings-route.test.ts'],
  },
  {
    name: 'the page is served under any host name',
    file: 'src/web/access-control.ts',
    find: 'if (!anyHostPaths.has(request.path) && ',
    replace: 'if (request.path.startsWith("/api/") && ',
    tests: ['test/web/routes.test.ts'],
  },
  {
    name: 'only the Host header counts, not the target of the request',
    file: 'src/web/request-listener.ts',
    find: 'isWhole ? [named, targeted] : [named]',
    replace: '[named]',
    tests: ['test/web/odd-requests.test.ts'],
  },
  {
    name: 'an address that is open to everybody is not mentioned',
    file: 'src/web/live-web.ts',
    find: '!listensOnLoopback(host) && !isProtected(this.#settings)',
    replace: 'false',
    tests: ['test/web/live-web.test.ts'],
  },
  {
    name: 'a connection whose reader takes nothing keeps its place',
    file: 'src/web/connection-limit.ts',
    find: 'first([...limits.awaited].map(peerOf), (one) => among.has(one)) ??',
    replace: '',
    tests: ['test/web/abuse.test.ts'],
  },
  {
    name: 'any number of large answers is under way',
    file: 'src/web/heavy-lane.ts',
    find: 'if (underWay >= most && !makeRoom()) return undefined',
    replace: '',
    tests: ['test/web/slow-readers.test.ts'],
  },
  {
    name: 'what is kept for readers has no bound',
    file: 'src/web/slow-readers.ts',
    find: 'sum > limits.maxKept',
    replace: 'sum > Number.MAX_VALUE',
    tests: ['test/web/slow-readers.test.ts'],
  },
  {
    name: 'the page counts only as many findings as it shows when it searches',
    file: 'src/web/page/load-page.ts',
    find: "if (query.text === '' && kept.length === maxKept) break",
    replace: 'if (kept.length === maxKept) break',
    tests: ['test/web/page-parts.test.ts'],
  },
  {
    name: 'a formula behind white space goes into a spreadsheet as it is',
    file: 'src/report/formats.ts',
    find: 'hiddenFormula.test(value)',
    replace: 'false',
    tests: ['test/report/csv.test.ts'],
  },
]
