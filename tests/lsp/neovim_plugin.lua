-- The plugin for Neovim, in $PLUGIN, with the file in $KERNEL, bytecode in $BYTECODE, and the program in $TILEWRIGHT.

local function fail(what)
  io.stderr:write("neovim: " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function check(condition, what)
  if not condition then
    fail(what)
  end
end

local function until_so(what, condition)
  check(vim.wait(30000, condition, 20), what)
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

local function go_to(text)
  vim.fn.cursor(1, 1)
  check(vim.fn.search("\\V" .. text, "cW") > 0, "there is no " .. text)
end

-- Without a window, Neovim does not notice that the cursor moves.
local function moved()
  vim.api.nvim_exec_autocmds("CursorMoved", { buffer = vim.api.nvim_get_current_buf() })
end

-- The lines of a buffer that are lit.
local function lit(buffer)
  local space = vim.api.nvim_get_namespaces().tilewright
  local marks = vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {})
  return vim.tbl_map(function(mark)
    return vim.api.nvim_buf_get_lines(buffer, mark[2], mark[2] + 1, false)[1]
  end, marks)
end

local ok, problem = pcall(function()
  vim.o.hidden = true
  -- 0.7 has this off.
  vim.g.do_filetype_lua = 1
  vim.g.tilewright = { server = vim.env.TILEWRIGHT, settings = { target = "sm_80", ptxas = false } }
  vim.opt.runtimepath:prepend(vim.env.PLUGIN)
  vim.cmd("filetype on | runtime! plugin/tilewright.lua")

  -- The type of the file, and the server.
  vim.cmd("edit " .. vim.env.KERNEL)
  local source = vim.api.nvim_get_current_buf()
  check(vim.bo.filetype == "cuda_tile", "the type is " .. vim.bo.filetype)
  local client
  until_so("the server is not started", function()
    client = require("tilewright").client(source)
    return client
  end)

  -- A lens, and what it runs.
  local function lenses()
    return vim.lsp.codelens.get(source)
  end
  until_so("there are no lenses", function()
    vim.lsp.codelens.refresh()
    return #lenses() == 2
  end)
  local titles = vim.tbl_map(function(lens)
    return lens.command.title
  end, lenses())
  check(titles[1]:find("^sm_80 · "), "the setting is not used: " .. titles[1])
  local function run(kernel)
    local line = vim.fn.search("entry @" .. kernel, "cw") - 1
    for _, lens in ipairs(lenses()) do
      if lens.range.start.line == line then
        vim.lsp.commands[lens.command.command](lens.command, { bufnr = source, client_id = client.id })
      end
    end
  end
  run("first")
  local view = vim.fn.bufnr("k.cuda_tile.ptx")
  check(view > 0 and vim.fn.bufwinid(view) > 0, "the lens opens no window")
  check(vim.api.nvim_get_current_buf() == source, "the cursor is taken along")
  local function shows(kernel)
    until_so("the PTX is not that of " .. kernel .. ": " .. text_of(view), function()
      return text_of(view):find(".visible .entry " .. kernel, 1, true)
    end)
  end
  shows("first")
  run("second")
  shows("second")
  check(#vim.api.nvim_tabpage_list_wins(0) == 2, "each kernel has a window of its own")
  check(not require("tilewright").client(view), "the view has a server")

  -- The cursor lights what its line became, and takes the view along to its kernel.
  go_to("addf")
  moved()
  shows("first")
  until_so("the sum lights nothing", function()
    local lines = lit(view)
    return lines[1] and lines[1]:find("add.rn.f32", 1, true)
  end)
  vim.api.nvim_set_current_win(vim.fn.bufwinid(view))
  go_to("add.rn.f32")
  moved()
  local back = lit(source)
  check(#back == 1 and back[1]:find("addf", 1, true), "the source is lit at " .. vim.inspect(back))
  vim.api.nvim_set_current_win(vim.fn.bufwinid(source))

  -- The view follows an edit, and stays while there is an error.
  local function replace(from, to)
    go_to(from)
    local line, column = unpack(vim.api.nvim_win_get_cursor(0))
    vim.api.nvim_buf_set_text(source, line - 1, column, line - 1, column + #from, { to })
    vim.api.nvim_exec_autocmds("TextChanged", { buffer = source })
  end
  replace("addf", "mulf")
  until_so("the view stays", function()
    return text_of(view):find("mul.rn.f32", 1, true)
  end)
  replace("mulf", "mlf")
  until_so("no problem", function()
    return #vim.diagnostic.get(source) == 1
  end)
  vim.wait(500)
  check(text_of(view):find("mul.rn.f32", 1, true), "the last text does not stay: " .. text_of(view))

  -- The explanation of the problem in the cursor's line.
  vim.cmd("TilewrightExplain")
  local function explained()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        return text_of(vim.api.nvim_win_get_buf(window)):find("unknown op", 1, true)
      end
    end
  end
  until_so("the code is not explained", explained)
  replace("mlf", "mulf")

  -- Another stage, by its command.
  vim.cmd("TilewrightStage tileas")
  local stage = vim.fn.bufnr("k.cuda_tile.tileas")
  until_so("no tileas", function()
    return text_of(stage):find("tileas.func @first", 1, true)
  end)
  vim.cmd("bwipeout " .. stage)

  -- Bytecode, and the files of others.
  vim.cmd("edit " .. vim.env.BYTECODE)
  local bytecode = vim.api.nvim_get_current_buf()
  check(text_of(bytecode):find("entry @saxpy", 1, true), text_of(bytecode))
  until_so("bytecode has no server", function()
    return require("tilewright").client(bytecode)
  end)
  local folder = vim.fn.fnamemodify(vim.env.KERNEL, ":h")
  for name, known in pairs({
    ["a.mlir"] = { "cuda_tile.module @m {", true },
    ["b.mlir"] = { "func.func @f() {", false },
    ["c.tile.mlir"] = { "", true },
    ["d.nvvm"] = { "", "tilewright" },
    ["e.ptx"] = { "", "ptx" },
  }) do
    vim.fn.writefile({ known[1] }, folder .. "/" .. name)
    vim.cmd("edit " .. folder .. "/" .. name)
    local wanted = known[2] == true and "cuda_tile" or known[2]
    local found = vim.bo.filetype
    check(found == wanted or (not wanted and found ~= "cuda_tile"), name .. " has the type " .. found)
  end
  vim.cmd("qall!")
end)
if not ok then
  fail(tostring(problem))
end
