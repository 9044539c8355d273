import { colours } from './styles/colours.ts'
import { frame } from './styles/frame.ts'
import { parts } from './styles/parts.ts'
import { phone } from './styles/phone.ts'
import { tables } from './styles/tables.ts'

/** The page's only stylesheet, served from its own route so that the content security policy needs no exception. */
export const stylesheet = colours + frame + tables + parts + phone
