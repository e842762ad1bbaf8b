-- Drives the language server with Neovim's own client: `nvim --headless -u NONE -l` is newer than some releases that are still
-- in use, so this is run by `-c "luafile …"`. The program is in $TILEWRIGHT, the file to open in $KERNEL.

local function fail(what)
  io.stderr:write("neovim: " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function check(condition, what)
  if not condition then
    fail(what)
  end
end

local ok, problem = pcall(function()
  vim.cmd("edit " .. vim.env.KERNEL)
  local buffer = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start_client({ name = "tilewright", cmd = { vim.env.TILEWRIGHT, "lsp", "--stdio" } })
  check(id, "the server does not start")
  check(vim.lsp.buf_attach_client(buffer, id), "the buffer is not attached")
  local client = vim.lsp.get_client_by_id(id)
  check(vim.wait(30000, function() return client.initialized end, 20), "no handshake")

  local function request(method, params)
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 30000)
    local answer = answers and answers[id]
    check(answer and not answer.err and not answer.error, method .. ": " .. vim.inspect(answers))
    return answer.result
  end
  local function line_of(text)
    for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      local column = line:find(text, 1, true)
      if column then
        return number - 1, column - 1
      end
    end
    fail("there is no " .. text)
  end
  local function at(text)
    local line, column = line_of(text)
    return { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line, character = column + 1 } }
  end

  -- A mistake, its diagnostic, and its end.
  local line, column = line_of("addi")
  vim.api.nvim_buf_set_text(buffer, line, column, line, column + 4, { "add" })
  local function diagnostics()
    return vim.diagnostic.get(buffer)
  end
  check(vim.wait(30000, function() return #diagnostics() == 1 end, 20), "no diagnostic")
  local first = diagnostics()[1]
  check(first.code == "E0204" and first.lnum == line, vim.inspect(first))
  vim.api.nvim_buf_set_text(buffer, line, column, line, column + 3, { "addi" })
  check(vim.wait(30000, function() return #diagnostics() == 0 end, 20), "the diagnostic stays")

  -- Hover, definition, rename.
  local hover = request("textDocument/hover", at("%sum"))
  check(hover.contents.value:find("%sum: tile<i32>", 1, true), vim.inspect(hover))
  local rename = at("%sum")
  rename.newName = "total"
  local edit = request("textDocument/rename", rename)
  vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  check(not text:find("%sum", 1, true) and text:find("%total", 1, true), text)

  -- A stage beside the source.
  local stage = at("addi")
  stage.stage = "ptx"
  local view = request("tilewright/stage", stage)
  check(view.text:find(".visible .entry", 1, true), view.text)
  check(#view.lines > 5, "no lines")

  -- Bytecode as its disassembly.
  vim.api.nvim_create_autocmd("BufReadCmd", {
    pattern = "*.tileirbc",
    callback = function(event)
      local shown = vim.fn.systemlist({ vim.env.TILEWRIGHT, "disasm", event.match })
      vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, shown)
      vim.bo[event.buf].modifiable = false
      vim.bo[event.buf].buftype = "nowrite"
      vim.bo[event.buf].filetype = "cuda_tile"
    end,
  })
  vim.cmd("set hidden | edit " .. vim.env.BYTECODE)
  buffer = vim.api.nvim_get_current_buf()
  check(vim.lsp.buf_attach_client(buffer, id), "the bytecode is not attached")
  local hover_of_bytecode = request("textDocument/hover", at("load_view_tko"))
  check(hover_of_bytecode.contents.value:find("| lane | 32 |", 1, true), vim.inspect(hover_of_bytecode))
  vim.cmd("qall!")
end)
if not ok then
  fail(tostring(problem))
end
