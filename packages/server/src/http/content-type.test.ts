import { endpoints } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { ApiError } from '../errors.js'
import { checkContentEncoding, checkContentType } from './content-type.js'

const {
  createPrinter: withJson,
  uploadPic: withFile,
  reportPrinterEvent: withForm,
  pausePrint: withNothing,
} = endpoints

test.each([
  { name: 'JSON', endpoint: withJson, type: 'application/json', fine: true },
  { name: 'JSON with a charset, in capitals', endpoint: withJson, type: 'Application/JSON; charset=UTF-8', fine: true },
  { name: 'JSON by a suffix', endpoint: withJson, type: 'application/merge-patch+json', fine: true },
  { name: 'text for JSON', endpoint: withJson, type: 'text/plain', fine: false },
  { name: 'no type for JSON', endpoint: withJson, type: undefined, fine: false },
  { name: 'JSON where no body is needed', endpoint: withNothing, type: 'application/json', fine: true },
  {
    name: 'a form where no body is needed',
    endpoint: withNothing,
    type: 'application/x-www-form-urlencoded',
    fine: false,
  },
  { name: 'multipart for a file', endpoint: withFile, type: 'multipart/form-data; boundary=x', fine: true },
  { name: 'multipart without a boundary', endpoint: withFile, type: 'multipart/form-data', fine: false },
  { name: 'a plain form for a file', endpoint: withFile, type: 'application/x-www-form-urlencoded', fine: false },
  {
    name: 'a plain form where the file may be absent',
    endpoint: withForm,
    type: 'application/x-www-form-urlencoded',
    fine: true,
  },
  { name: 'JSON for a form', endpoint: withForm, type: 'application/json', fine: false },
])('$name: $fine', ({ endpoint, type, fine }) => {
  const check = () => checkContentType(endpoint, type, true)
  if (fine) expect(check).not.toThrow()
  else expect(check).toThrow(ApiError)
})

test('without a body any type will do', () => {
  expect(() => checkContentType(withJson, 'text/plain', false)).not.toThrow()
})

test.each([
  { encoding: undefined, hasBody: true, fine: true },
  { encoding: 'identity', hasBody: true, fine: true },
  { encoding: 'gzip', hasBody: true, fine: false },
  { encoding: 'br, gzip', hasBody: true, fine: false },
  { encoding: 'gzip', hasBody: false, fine: true },
])('Content-Encoding $encoding with a body ($hasBody): $fine', ({ encoding, hasBody, fine }) => {
  const check = () => checkContentEncoding(encoding, hasBody)
  if (fine) expect(check).not.toThrow()
  else expect(check).toThrow(ApiError)
})
