import { expect, it } from 'vitest'
import { csvLine } from '../../src/model/text/formats.ts'

const spaces = ['\n', '\r\n', '\ufeff', '\u00a0', '\u2003', '\u3000', '\u200b', '\u2060', ' ', '\u0000', '\n \ufeff']

it.each(spaces.flatMap((space) => ['=', '+', '-', '@', '\uff1d'].map((sign) => [JSON.stringify(space), space + sign])))(
  'takes the formula from a cell that begins with %s before a sign',
  (_, begin) => {
    expect(csvLine([`${begin}1+1`])).toBe(`"'${begin}1+1"\r\n`)
  },
)

it('leaves cells without formulas unchanged', () => {
  expect(csvLine(['a=b', '\n a', ' 1', '', null, -5, { a: '=1' }])).toBe(
    '"a=b","\n a"," 1","","",-5,"{""a"":""=1""}"\r\n',
  )
  expect(csvLine(['=1', '\t=1', '\r=1'])).toBe(`"'=1","'\t=1","'\r=1"\r\n`)
})
